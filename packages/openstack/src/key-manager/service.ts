import { type CachedKind, STABLE_INTERVAL_MS } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { KeySecret } from '../types/key-manager.ts';
import { KeyManager, type KeySecretFilter } from './key-manager.ts';

const keySecrets: CachedKind<KeyManager, KeySecret, KeySecretFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (keyManager, filter, call) => keyManager.secrets(filter, call),
};

export const keyManagerService = {
  type: 'key-manager',
  project: 'Barbican',
  majorVersion: /^v1$/,
  probe: '/secrets?limit=1',
  clientName: 'keyManager',
  client: (api: ServiceApi) => new KeyManager(api),
  cached: { keySecrets },
} as const satisfies ClientService;
