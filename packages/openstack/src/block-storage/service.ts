import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import { BlockStorage } from './block-storage.ts';

export const blockStorageService = {
  type: 'block-storage',
  project: 'Cinder',
  aliases: ['volumev3', 'block-store', 'volume'],
  majorVersion: /^v3$/,
  microversions: { name: 'volume' },
  clientName: 'blockStorage',
  client: (api: ServiceApi) => new BlockStorage(api),
  cached: {},
} as const satisfies ClientService;
