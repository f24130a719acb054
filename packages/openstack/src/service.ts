import type { CachedKind } from './cache/cached-kind.ts';
import type { Identified } from './cache/snapshot.ts';
import type { ServiceApi } from './service-api.ts';
import type { ServiceDefinition } from './service-definition.ts';

/** A service that Fairway has a client for, as a loop over all services sees it: `SERVICES` knows the types. */
export interface ClientService extends ServiceDefinition {
  /** What the client is called in an OpenStackClient. */
  readonly clientName: string;
  readonly client: (api: ServiceApi) => object;
  /** What a ProjectCache keeps of the service, by name; lists get what `client` made. */
  readonly cached: Readonly<Record<string, CachedKind<never, Identified>>>;
}

/** An entry of the list of services. One without a client is found and asked whether it answers. */
export type Service = ServiceDefinition | ClientService;

export function hasClient(service: Service): service is ClientService {
  return 'client' in service;
}
