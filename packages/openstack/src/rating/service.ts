import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import { Rating } from './rating.ts';

export const ratingService = {
  type: 'rating',
  project: 'CloudKitty',
  majorVersion: /^v2$/,
  // Its root lists only v1 if an old storage backend is configured.
  fixedVersion: 'v2',
  clientName: 'rating',
  client: (api: ServiceApi) => new Rating(api),
  cached: {},
} as const satisfies ClientService;
