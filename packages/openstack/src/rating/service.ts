import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import { Rating } from './rating.ts';

export const ratingService = {
  type: 'rating',
  project: 'CloudKitty',
  majorVersion: /^v2$/,
  // Its root tells of v1 alone where an old storage is set up.
  fixedVersion: 'v2',
  clientName: 'rating',
  client: (api: ServiceApi) => new Rating(api),
  cached: {},
} as const satisfies ClientService;
