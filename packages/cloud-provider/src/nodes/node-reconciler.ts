import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { type NodePatches, nodePatches } from './node-patch.ts';

type NodeDependencies = Pick<CloudProviderDependencies, 'cache' | 'clouds' | 'tenants' | 'attempts' | 'clock'>;

/**
 * The node controller of a cloud provider, for all tenants' clusters: sets what only the cloud knows of a Node, from its
 * server.
 */
export class NodeReconciler {
  readonly #dependencies: NodeDependencies;

  constructor(dependencies: NodeDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Machine's: a node without a Machine is not managed and stays uninitialized. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, tenants } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined) return {};
    const cluster = cache.clusters.get(clusterKeyOf(machine));
    if (isPaused(machine, cluster)) return {};
    const cloud = clouds.of(clusterKeyOf(machine), cluster?.spec.credentialName);
    const tenant = cluster && tenants.get(identityOf(cluster));
    const node = tenant?.nodes.get(machine.metadata.name ?? '');
    if (cloud === undefined || tenant === undefined || node === undefined) return {};
    const pass = new Pass(context, clock);
    const { signal } = pass;
    const item = identityOf(machine);
    if (isAwaited(currentServer(cloud.listedServers(), machine), node)) {
      // The node joined before its server was listed: the list is stale.
      await pass.run(() => attempts.make({ kind: 'server of node', item }, () => findServer(cloud, machine, signal)));
    }
    const server = currentServer(cloud.listedServers(), machine);
    if (server) {
      const flavorName = 'original_name' in server.flavor ? server.flavor.original_name : machine.spec.flavor;
      const facts = { server, region: cloud.region, flavorName };
      const client = tenant.client.resource(tenantNodes);
      const patchesFor = (current: TenantNode) => nodePatches(current, machine, facts);
      const write = () => ofTenant(ignoreGone(writePatches(client, node, patchesFor, signal)));
      await pass.run(() => attempts.make({ kind: 'node', item }, write));
    }
    return pass.end();
  }
}

/** A server that is being built has no addresses yet. */
function isAwaited(server: Server | undefined, node: TenantNode): boolean {
  return server === undefined || (server.status === 'BUILD' && !node.spec?.providerID);
}

/** Refreshes the list of servers. Rejects while the machine's is not active: retried with backoff, or when a list shows it. */
async function findServer(cloud: ProjectCloud, machine: Machine, signal: AbortSignal): Promise<void> {
  const server = currentServer(await cloud.cache.servers.refreshAfter(cloud.now(), signal), machine);
  if (server !== undefined && server.status !== 'BUILD') return;
  const message = `the cloud shows no server of machine ${machine.metadata.name} that is up`;
  throw new ProblemError({ reason: 'WaitingForServer', message });
}

/**
 * Writes the addresses first, then the rest against the Node that this write returned: taints are replaced as a list, so
 * they must match the resourceVersion.
 */
async function writePatches(
  client: ResourceClient<TenantNode>,
  node: TenantNode,
  patchesFor: (node: TenantNode) => NodePatches,
  signal: AbortSignal,
): Promise<void> {
  const { name = '' } = node.metadata;
  const { status } = patchesFor(node);
  const addressed = { type: 'merge', value: status ?? {} } as const;
  const current = status ? await client.patch(name, addressed, { subresource: 'status', signal }) : node;
  const { object } = patchesFor(current);
  if (object) await client.patch(name, { type: 'merge', value: object }, { signal });
}

type ServerSnapshot = Parameters<typeof serversOfMachine>[0];

function currentServer(snapshot: ServerSnapshot, machine: Machine): Server | undefined {
  const servers = serversOfMachine(snapshot, identityOf(machine));
  return servers.find(({ id }) => id === machine.status?.serverID) ?? servers[0];
}
