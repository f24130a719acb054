import { CATALOGUE_INTERVAL_MS, type CachedKind, STABLE_INTERVAL_MS } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { ComputeAvailabilityZone, Flavor, ServerGroup } from '../types/compute.ts';
import type { Server } from '../types/server.ts';
import { COMPUTE_MICROVERSION, Compute } from './compute.ts';
import type { ServerFilter } from './servers.ts';

const servers: CachedKind<Compute, Server, ServerFilter> = {
  list: (compute, filter, call) => compute.servers.list(filter, call),
};
const serverGroups: CachedKind<Compute, ServerGroup> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (compute, _, call) => compute.serverGroups.list(call),
};
const flavors: CachedKind<Compute, Flavor> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  list: (compute, _, call) => compute.flavors.list(call),
};

/** A zone's id is its name. */
const computeZones: CachedKind<Compute, ComputeAvailabilityZone & { readonly id: string }> = {
  slowMs: CATALOGUE_INTERVAL_MS,
  async *list(compute, _, call) {
    for (const zone of await compute.availabilityZones(call)) yield { id: zone.zoneName, ...zone };
  },
};

export const computeService = {
  type: 'compute',
  project: 'Nova',
  majorVersion: /^v2\.1$/,
  // Nova before Newton supports only the old header.
  microversions: { name: 'compute', oldHeader: 'x-openstack-nova-api-version', wanted: COMPUTE_MICROVERSION },
  clientName: 'compute',
  client: (api: ServiceApi) => new Compute(api),
  cached: { servers, serverGroups, flavors, computeZones },
} as const satisfies ClientService;
