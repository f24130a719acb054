import type { CachedKind } from './cache/cached-kind.ts';
import type { Identifiable } from './cache/snapshot.ts';
import type { ServiceApi } from './service-api.ts';
import type { ServiceDefinition } from './service-definition.ts';

/** A service with a client, type-erased for loops over all services; `SERVICES` has the precise types. */
export interface ClientService extends ServiceDefinition {
  /** The client's property name in an OpenStackClient. */
  readonly clientName: string;
  readonly client: (api: ServiceApi) => object;
  /** The service's kinds that a ProjectCache keeps, by name; lists receive the created client. */
  readonly cached: Readonly<Record<string, CachedKind<never, Identifiable>>>;
}

/** An entry of the list of services. One without a client is only discovered and health-checked. */
export type Service = ServiceDefinition | ClientService;

export function hasClient(service: Service): service is ClientService {
  return 'client' in service;
}
