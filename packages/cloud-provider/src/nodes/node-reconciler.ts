import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { RecentMap } from '@fairway/base/recent-map';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isStopped, serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import {
  claimsOtherServer,
  isUninitialized,
  nodeReadyCondition,
  type TenantNode,
  tenantNodes,
} from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { addressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { asNode } from '../tenant-events.ts';
import { foreignNodeIPs, providedNodeIPs } from './node-addresses.ts';
import { type NodePatches, nodePatches, type ServerFacts, SHUTDOWN_TAINT } from './node-patch.ts';

type NodeDependencies = Pick<
  CloudProviderDependencies,
  'cache' | 'clouds' | 'tenants' | 'attempts' | 'events' | 'clock' | 'conventions'
>;

/** Rate limit per node: someone in the tenant's cluster may keep overwriting our changes. */
const WRITE_RATE: Rate = { burst: 20, perMinute: 4 };
const WRITE_RETRY_MS = 15_000;
const MAX_NODES = 100_000;

/**
 * The node controller of a cloud provider, for all tenants' clusters: it sets the fields of a Node that only the cloud
 * can provide, based on its server.
 */
export class NodeReconciler {
  readonly #dependencies: NodeDependencies;
  readonly #writes = new TokenBuckets(WRITE_RATE, MAX_NODES);
  /** The last warning about a node's address selection, by UID of the node. */
  readonly #recorded = new RecentMap<string>(MAX_NODES);

  constructor(dependencies: NodeDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is the key of a Machine: a node without a Machine is not managed and stays uninitialized. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, conventions, tenants } = this.#dependencies;
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
    if (isListStale(currentServer(cloud.listedServers(), machine), node)) {
      // The node is running, but the list does not show its server as running yet, so the list is stale.
      await pass.run(() =>
        attempts.withBackoff({ kind: 'server of node', item }, () => findServer(cloud, machine, signal)),
      );
    }
    const server = currentServer(cloud.listedServers(), machine);
    if (server) {
      const flavorName = 'original_name' in server.flavor ? server.flavor.original_name : machine.spec.flavor;
      const { includesRegion } = conventions;
      const facts = {
        server,
        region: cloud.region,
        includesRegion,
        flavorName,
        addressRules: addressRules(cluster, cloud),
      };
      await this.#patchNode(pass, { tenant, node, machine, facts });
    }
    return pass.end();
  }

  async #patchNode(pass: Pass, { tenant, node, machine, facts }: NodePatchInput): Promise<void> {
    const { attempts, clock, events } = this.#dependencies;
    const patchesFor = (current: TenantNode) => nodePatches(current, machine, facts);
    const { object, status } = patchesFor(node);
    if (object === undefined && status === undefined) return;
    const item = identityOf(machine);
    if (!this.#writes.tryTake(item, clock.now())) return pass.requeueAfter(WRITE_RETRY_MS);
    const client = tenant.client.resource(tenantNodes);
    const write = () => wrapTenantError(ignoreDeleted(writePatches(client, node, patchesFor, pass.signal)));
    const { failure } = await pass.run(() => attempts.withBackoff({ kind: 'node', item }, write));
    if (failure) return;
    const recorder = events.of(tenant);
    const isSynced = isUninitialized(node) && !claimsOtherServer(node, facts.server.id);
    if (isSynced) recorder.normal(asNode(node), 'Synced', 'Node synced successfully');
    const refused = this.#foreignAddressProblem(node, facts);
    if (refused !== undefined) recorder.warning(asNode(node), 'ProvidedNodeIPIgnored', refused);
  }

  /** The warning about a node's address selection; undefined if it has been reported. */
  #foreignAddressProblem(node: TenantNode, { server, addressRules: rules }: ServerFacts): string | undefined {
    const addresses = machineAddresses(server, rules);
    const foreign = foreignNodeIPs(providedNodeIPs(node.metadata.annotations) ?? [], addresses)
      .join(', ')
      .slice(0, 100);
    const { uid = '' } = node.metadata;
    if (foreign === '' || this.#recorded.get(uid) === foreign) return undefined;
    this.#recorded.set(uid, foreign);
    const own = addresses.flatMap(({ type, address }) => (type === 'Hostname' ? [] : [address]));
    return `kubelet's --node-ip is ignored: ${foreign} is not an address of the server, which has ${own.join(', ')}`;
  }
}

interface NodePatchInput {
  readonly tenant: TenantCluster;
  readonly node: TenantNode;
  readonly machine: Machine;
  readonly facts: ServerFacts;
}

/**
 * Whether the list must be older than the node's state. A server that is being built has no addresses yet, and a
 * stopped server whose node is Ready must be running again.
 */
function isListStale(server: Server | undefined, node: TenantNode): boolean {
  if (server === undefined) return true;
  if (server.status === 'BUILD') return !node.spec?.providerID;
  const isTainted = node.spec?.taints?.some(({ key }) => key === SHUTDOWN_TAINT.key) ?? false;
  return isStopped(server) && isTainted && nodeReadyCondition(node)?.status === 'True';
}

/**
 * Refreshes the list of servers. Rejects while the machine's server is not running; the call is retried with backoff,
 * or when a list shows the server.
 */
async function findServer(cloud: ProjectCloud, machine: Machine, signal: AbortSignal): Promise<void> {
  const server = currentServer(await cloud.cache.servers.refreshAfter(cloud.now(), signal), machine);
  if (server !== undefined && server.status !== 'BUILD' && !isStopped(server)) return;
  const message = `machine ${machine.metadata.name} has no running server in the cloud`;
  throw new ProblemError({ reason: 'WaitingForServer', message });
}

/**
 * Writes the addresses first, then the rest against the Node returned by this write: taints are replaced as a list, so
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
  const statusPatch = { type: 'merge', value: status ?? {} } as const;
  const current = status ? await client.patch(name, statusPatch, { subresource: 'status', signal }) : node;
  const { object } = patchesFor(current);
  if (object) await client.patch(name, { type: 'merge', value: object }, { signal });
}

type ServerSnapshot = Parameters<typeof serversOfMachine>[0];

function currentServer(snapshot: ServerSnapshot, machine: Machine): Server | undefined {
  const servers = serversOfMachine(snapshot, identityOf(machine));
  return servers.find(({ id }) => id === machine.status?.serverID) ?? servers[0];
}
