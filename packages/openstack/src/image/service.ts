import { CATALOGUE_MS, type CachedKind } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { Image } from '../types/image.ts';
import { type ImageFilter, Images } from './images.ts';

const images: CachedKind<Images, Image, ImageFilter> = {
  slowMs: CATALOGUE_MS,
  list: (client, filter, call) => client.list(filter, call),
};

export const imageService = {
  type: 'image',
  project: 'Glance',
  majorVersion: /^v2$/,
  probe: '/images?limit=1',
  clientName: 'images',
  client: (api: ServiceApi) => new Images(api),
  cached: { images },
} as const satisfies ClientService;
