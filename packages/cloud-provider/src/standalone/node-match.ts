import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Server } from '@fairway/openstack/types/server';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { parseProviderID } from '../nodes/provider-id.ts';

/** The node's server is known. */
export type NodeMatch =
  | { readonly kind: 'server'; readonly server: Server }
  /** The node's providerID refers to a server that is not listed. */
  | { readonly kind: 'gone'; readonly serverID: string }
  /** The node has no providerID, and no server has its name. */
  | { readonly kind: 'unknown' }
  /** The node belongs to a different cloud or region. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'ambiguous'; readonly message: string };

/** Servers by name, indexed once per list. */
const names = new WeakMap<Snapshot<Server>['items'], ReadonlyMap<string, readonly Server[]>>();

/**
 * Matches by providerID, otherwise by exact name, as in cloud-provider-openstack. Servers of clusters created by
 * Fairway are excluded.
 */
export function matchServer(
  { metadata, spec }: TenantNode,
  snapshot: Snapshot<Server>,
  { clusterUid, region }: { readonly clusterUid: string; readonly region: string },
): NodeMatch {
  const isOfCluster = (server: Server) => serverOwner(server)?.clusterUid === clusterUid;
  if (spec?.providerID) {
    const named = parseProviderID(spec.providerID);
    if (named === undefined || (named.region !== '' && named.region !== region)) return { kind: 'foreign' };
    const server = snapshot.items.get(named.serverID);
    if (server === undefined) return { kind: 'gone', serverID: named.serverID };
    return isOfCluster(server) ? { kind: 'server', server } : { kind: 'foreign' };
  }
  const { name = '' } = metadata;
  const [server, ...others] = (serversByName(snapshot).get(name) ?? []).filter(isOfCluster);
  if (server === undefined) return { kind: 'unknown' };
  if (others.length === 0) return { kind: 'server', server };
  const ids = [server, ...others].map(({ id }) => id).slice(0, 3);
  const message = `${others.length + 1} servers in the project are named ${name} (${ids.join(', ')}): rename those that are not this node, or identify its server with the kubelet flag --provider-id`;
  return { kind: 'ambiguous', message };
}

function serversByName({ items }: Snapshot<Server>): ReadonlyMap<string, readonly Server[]> {
  const known = names.get(items);
  if (known) return known;
  const byName = Map.groupBy(items.values(), ({ name }) => name);
  names.set(items, byName);
  return byName;
}
