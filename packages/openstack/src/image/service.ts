import { CATALOGUE_MS, type CachedKind } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { Image } from '../types/image.ts';
import { type ImageFilter, Images } from './images.ts';

type Listing = CachedKind<Images, Image, ImageFilter>['list'];

const images: CachedKind<Images, Image, ImageFilter> = {
  slowMs: CATALOGUE_MS,
  list: withoutForeignImages,
};

/** Glance shows an administrator the private images of every project too. */
async function* withoutForeignImages(...[client, filter, call]: Parameters<Listing>): AsyncGenerator<Image> {
  const own = await client.projectId();
  for await (const image of client.list(filter, call)) {
    if (image.visibility !== 'private' || !image.owner || image.owner === own) yield image;
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
