import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import { Identity } from './identity.ts';

export const identityService = {
  type: 'identity',
  project: 'Keystone',
  majorVersion: /^v3$/,
  // No other version has existed since Queens.
  fixedVersion: 'v3',
  clientName: 'identity',
  client: (api: ServiceApi) => new Identity(api),
  cached: {},
} as const satisfies ClientService;
