import { CATALOGUE_INTERVAL_MS, type CachedKind } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { Image } from '../types/image.ts';
import { type ImageFilter, Images } from './images.ts';

type Listing = CachedKind<Images, Image, ImageFilter>['list'];

const images: CachedKind<Images, Image, ImageFilter> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  list: withoutForeignImages,
};

/**
 * Glance lists every project's images for an administrator. New images have the visibility `shared` without being
 * shared with anyone, and the list does not say with whom an image is shared. So an administrator gets no shared images
 * of other projects, even if they are shared with this one.
 */
async function* withoutForeignImages(...[client, filter, call]: Parameters<Listing>): AsyncGenerator<Image> {
  const [own, isAdministrator] = await Promise.all([client.projectId(), client.isAdministrator()]);
  const isHidden = ({ visibility }: Image) => visibility === 'private' || (visibility === 'shared' && isAdministrator);
  for await (const image of client.list(filter, call)) {
    if (!isHidden(image) || !image.owner || image.owner === own) yield image;
  }
}

export const imageService = {
  type: 'image',
  project: 'Glance',
  majorVersion: /^v2$/,
  probe: '/images?limit=1',
  clientName: 'images',
  client: (api: ServiceApi) => new Images(api),
  cached: { images },
} as const satisfies ClientService;
