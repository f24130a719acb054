import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { asNode } from '../tenant-events.ts';
import { type Departure, departureOf } from './departure.ts';

type LifecycleDependencies = Pick<
  CloudProviderDependencies,
  'cache' | 'clouds' | 'tenants' | 'attempts' | 'events' | 'clock'
>;

/** Of a cluster: a look costs a call beside the shared list, and a tenant may make any number of nodes. */
const LOOKS: Rate = { burst: 20, perMinute: 2 };
const LOOK_RETRY_MS = 60_000;
/** A server that is still there may go later; nothing tells of one that is not Fairway's. */
const LOOK_AGAIN_MS = 600_000;
/** Of the list: its usual period. */
const MAX_AGE_MS = 70_000;
const MAX_CLUSTERS = 10_000;

/** Deletes Nodes whose servers are gone, as the node lifecycle controller of a cloud provider does, for all tenants' clusters. */
export class NodeLifecycleReconciler {
  readonly #dependencies: LifecycleDependencies;
  readonly #looks = new TokenBuckets(LOOKS, MAX_CLUSTERS);

  constructor(dependencies: LifecycleDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is `clusterUid/name of the Node`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, tenants } = this.#dependencies;
    const slash = key.indexOf('/');
    const name = key.slice(slash + 1);
    const tenant = tenants.get(key.slice(0, slash));
    const node = tenant?.nodes.get(name);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || node === undefined || !isOurs(cluster, tenant)) return {};
    const found = cache.machines.get(`${cluster.metadata.namespace}/${name}`);
    const machine = found?.spec.clusterName === cluster.metadata.name ? found : undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (cloud === undefined || isPaused(machine ?? cluster, cluster)) return {};
    const departure = departureOf(node, machine, cloud.region);
    if (departure.kind === 'stays') return {};
    const pass = new Pass(context, clock);
    if (departure.kind === 'lookUp') {
      if (!this.#looks.take(tenant.clusterUid, clock.now())) return { requeueAfterMs: LOOK_RETRY_MS };
      const look = () => isServerGone(cloud, cluster, name, departure, pass.signal);
      const { value: isGone } = await pass.run(() => attempts.make({ kind: 'left node', item: key }, look));
      if (isGone === false) pass.againIn(LOOK_AGAIN_MS);
      if (!isGone) return pass.end();
    }
    await pass.run(() =>
      attempts.make({ kind: 'delete node', item: key }, () => this.#delete(tenant, node, pass.signal)),
    );
    return pass.end();
  }

  async #delete(tenant: TenantCluster, node: TenantNode, signal: AbortSignal): Promise<void> {
    const recorder = this.#dependencies.events.of(tenant);
    const { name = '', uid } = node.metadata;
    recorder.normal(
      asNode(node),
      'DeletingNode',
      `Deleting node ${name} because it does not exist in the cloud provider`,
    );
    const options = { signal, ...(uid !== undefined && { uid }) };
    try {
      await ofTenant(ignoreGone(tenant.client.resource(tenantNodes).delete(name, options)));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      recorder.warning(asNode(node), 'DeletingNodeFailed', `Node ${name} was not deleted, and is tried again: ${why}`);
      throw error;
    }
  }
}

/** A cluster that goes takes its nodes with it. */
function isOurs(cluster: Cluster | undefined, tenant: TenantCluster): cluster is Cluster {
  if (cluster === undefined || identityOf(cluster) !== tenant.clusterUid) return false;
  return cluster.metadata.deletionTimestamp === undefined;
}

/** Whether the cluster has no server of this name, and its project none of this id. Rejects with the cloud's error. */
async function isServerGone(
  cloud: ProjectCloud,
  cluster: Cluster,
  name: string,
  { serverID }: Extract<Departure, { kind: 'lookUp' }>,
  signal: AbortSignal,
): Promise<boolean> {
  await requireOwnProject(cloud, cluster);
  if (cloud.trustedFromMs >= cloud.now()) throw new StillSettling('server', cloud.trustedFromMs);
  const snapshot = await cloud.cache.servers.refreshAfter(
    cloud.reliableFromMs(cloud.ledgers.servers, MAX_AGE_MS),
    signal,
  );
  const isListed = serversOfCluster(snapshot, identityOf(cluster)).some((each) => each.name === name);
  if (isListed || serverID === undefined) return !isListed;
  // It may be the tenant's, without our tag.
  return (await ignoreNotFound(cloud.client.compute.servers.get(serverID, { signal }))) === undefined;
}
