import type { CachedKind } from '@fairway/openstack/cache/cached-kind';
import type { Compute } from '@fairway/openstack/compute/compute';
import type { Service } from '@fairway/openstack/service';
import { SERVICES } from '@fairway/openstack/services';
import type { Server } from '@fairway/openstack/types/server';
import { clusterTag, FAIRWAY_TAG, machineTag, serverOwner } from '@fairway/tenancy/cloud/ownership';

/**
 * The services of a project cache that presents all servers as if they had this cluster's tags, with the server's ID in
 * place of the Machine's UID. The cloud's servers are never changed. Servers of clusters created by Fairway keep their
 * tags.
 */
export function adoptingServices(clusterUid: string): readonly Service[] {
  const servers: CachedKind<Compute, Server> = {
    async *list(compute, _, call) {
      for await (const server of compute.servers.list({}, call)) yield adoptedServer(server, clusterUid);
    },
  };
  return SERVICES.map((service) =>
    service.type === 'compute' ? { ...service, cached: { ...service.cached, servers } } : service,
  );
}

function adoptedServer(server: Server, clusterUid: string): Server {
  if (serverOwner(server)) return server;
  return { ...server, tags: [FAIRWAY_TAG, clusterTag(clusterUid), machineTag(server.id)] };
}
