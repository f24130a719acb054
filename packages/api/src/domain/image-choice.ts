import type { CatalogueImage } from '../admission/cloud-catalogue.ts';

/**
 * The default image for a pool if neither the pool, its cluster nor the operator sets one: the cloud's newest Ubuntu
 * LTS.
 */
const PREFERRED_OS = ['ubuntu 24.04', 'ubuntu 22.04', 'debian 12'];

/**
 * The image with the given ID or name; without one, the best match among the images that the cloud operator has made
 * public. Among images with the same name, public ones come first, since any tenant can reuse a name. Server snapshots
 * come last: they are user data. Among equal images, the newest wins. Pure.
 */
export function chooseImage<T extends CatalogueImage>(
  images: Iterable<T>,
  nameOrID: string | undefined,
): T | undefined {
  const all = [...images];
  const byId = nameOrID === undefined ? undefined : all.find(({ id }) => id === nameOrID);
  if (byId) return byId.isActive === false && !byId.isHidden ? undefined : byId;
  const offered = all
    .filter(({ isActive }) => isActive !== false)
    .sort((a, b) => rankOf(a) - rankOf(b) || newestFirst(a, b));
  if (nameOrID !== undefined) return offered.find(({ name }) => name === nameOrID);
  const cloudImages = offered.filter(isCloudImage);
  for (const os of PREFERRED_OS) {
    const match = cloudImages.find((image) => image.os?.startsWith(os));
    if (match) return match;
  }
  return undefined;
}

/** Whether the image can be used as a default: the cloud provides it, and it is not a server snapshot. */
export function isCloudImage({ visibility, isSnapshot }: Pick<CatalogueImage, 'visibility' | 'isSnapshot'>): boolean {
  return visibility === 'public' && isSnapshot !== true;
}

const VISIBILITY_RANKS: Readonly<Record<NonNullable<CatalogueImage['visibility']>, number>> = {
  public: 0,
  private: 2,
  shared: 3,
  community: 4,
};

function rankOf({ visibility, isSnapshot }: CatalogueImage): number {
  if (visibility === 'public') return isSnapshot ? 1 : 0;
  return (visibility === undefined ? 2 : VISIBILITY_RANKS[visibility]) + (isSnapshot ? 10 : 0);
}

function newestFirst(a: CatalogueImage, b: CatalogueImage): number {
  return (b.createdAt ?? '').localeCompare(a.createdAt ?? '') || a.id.localeCompare(b.id);
}
