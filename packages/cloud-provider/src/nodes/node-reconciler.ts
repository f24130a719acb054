import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { TransportError } from '@fairway/kube/client/transport';
import type { Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { type NodePatches, nodePatches } from './node-patch.ts';

export interface NodeDependencies {
  readonly cache: { readonly clusters: Informer<Cluster>; readonly machines: Informer<Machine> };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly now: () => number;
}

const RETRY_MS = 5_000;

/**
 * The node controller of a cloud provider, for all tenants' clusters: what a Node can't know of itself comes from its
 * server.
 */
export class NodeReconciler {
  readonly #dependencies: NodeDependencies;

  constructor(dependencies: NodeDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Machine's: a node that has none is a stranger's and stays uninitialized. */
  async reconcile(key: string): Promise<Result> {
    const { cache, clouds, tenants, now } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined) return {};
    const { name = '' } = machine.metadata;
    const cluster = cache.clusters.get(clusterKeyOf(machine));
    if (isPaused(machine, cluster)) return {};
    const cloud = clouds.of(clusterKeyOf(machine), cluster?.spec.credentialName);
    const tenant = cluster && tenants.get(identityOf(cluster));
    const node = tenant?.nodes.get(name);
    if (cloud === undefined || tenant === undefined || node === undefined) return {};
    let server = currentServer(cloud.listedServers(), machine);
    if (server === undefined || (server.status === 'BUILD' && !node.spec?.providerID)) {
      // A node that speaks before its server was seen: the list is old.
      const fresh = await cloud.cache.servers.refreshAfter(now()).catch(() => undefined);
      server = fresh && currentServer(fresh, machine);
    }
    if (server === undefined) return { requeueAfterMs: RETRY_MS };
    const flavorName = 'original_name' in server.flavor ? server.flavor.original_name : machine.spec.flavor;
    const facts = { server, region: cloud.region, flavorName };
    const client = tenant.client.resource(tenantNodes);
    try {
      await ignoreGone(writePatches(client, node, (current) => nodePatches(current, machine, facts)));
    } catch (error) {
      if (error instanceof TransportError) return { requeueAfterMs: RETRY_MS };
      throw error;
    }
    return server.status === 'BUILD' ? { requeueAfterMs: RETRY_MS } : {};
  }
}

/**
 * Writes the addresses, and then the rest by the Node that this write answered with: taints are replaced as a list, so
 * they must be those that the resourceVersion stands for.
 */
async function writePatches(
  client: ResourceClient<TenantNode>,
  node: TenantNode,
  patchesFor: (node: TenantNode) => NodePatches,
): Promise<void> {
  const { name = '' } = node.metadata;
  const { status } = patchesFor(node);
  const addressed = { type: 'merge', value: status ?? {} } as const;
  const current = status ? await client.patch(name, addressed, { subresource: 'status' }) : node;
  const { object } = patchesFor(current);
  if (object) await client.patch(name, { type: 'merge', value: object });
}

type ServerSnapshot = Parameters<typeof serversOfMachine>[0];

function currentServer(snapshot: ServerSnapshot, machine: Machine): Server | undefined {
  const servers = serversOfMachine(snapshot, identityOf(machine));
  return servers.find(({ id }) => id === machine.status?.serverID) ?? servers[0];
}
