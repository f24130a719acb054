import type { Image } from '@fairway/openstack/types/image';

/** The default image of a pool if neither it, its cluster nor the operator names one: the cloud's newest Ubuntu LTS. */
const PREFERRED = [
  { distro: 'ubuntu', version: '24.04' },
  { distro: 'ubuntu', version: '22.04' },
  { distro: 'debian', version: '12' },
];

/** The id of the image that `wanted` names by id or name, the newest of several; without `wanted` the cloud's best fit. */
export function chooseImage(images: Iterable<Image>, wanted: string | undefined): Image | undefined {
  const active = [...images].filter(({ status }) => status === 'active').sort(newestFirst);
  if (wanted !== undefined) return active.find(({ id }) => id === wanted) ?? active.find(({ name }) => name === wanted);
  for (const { distro, version } of PREFERRED) {
    const fit = active.find(
      (image) => image['os_distro'] === distro && `${image['os_version'] as string | undefined}`.startsWith(version),
    );
    if (fit) return fit;
  }
  return undefined;
}

function newestFirst(a: Image, b: Image): number {
  return (b.created_at ?? '').localeCompare(a.created_at ?? '') || a.id.localeCompare(b.id);
}
