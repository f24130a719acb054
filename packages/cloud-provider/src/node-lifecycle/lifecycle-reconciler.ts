import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isServerDeleted as isServerGoneInCloud } from '@fairway/tenancy/cloud/server-removal';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { asNode } from '../tenant-events.ts';
import { type NodeAction, nodeAction } from './node-deletion.ts';

type LifecycleDependencies = Pick<
  CloudProviderDependencies,
  'cache' | 'clouds' | 'tenants' | 'attempts' | 'events' | 'clock'
>;

/**
 * Rate limit per cluster: each check requires a call in addition to the shared list, and a tenant may create any number
 * of nodes.
 */
const QUERY_RATE_LIMIT: Rate = { burst: 20, perMinute: 2 };
const RETRY_INTERVAL_MS = 60_000;
/** A server that still exists may be deleted later, and no event reports that for servers that are not Fairway's. */
const RESYNC_INTERVAL_MS = 600_000;
/** Maximum age of the list of servers: the usual interval between lists. */
const MAX_AGE_MS = 70_000;
const MAX_CLUSTERS = 10_000;

/** Deletes Nodes whose servers no longer exist, as the node lifecycle controller of a cloud provider does, for all tenants' clusters. */
export class NodeLifecycleReconciler {
  readonly #dependencies: LifecycleDependencies;
  readonly #queries = new TokenBuckets(QUERY_RATE_LIMIT, MAX_CLUSTERS);

  constructor(dependencies: LifecycleDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is `<clusterUid>/<name of the Node>`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds, tenants } = this.#dependencies;
    const slash = key.indexOf('/');
    const name = key.slice(slash + 1);
    const tenant = tenants.get(key.slice(0, slash));
    const node = tenant?.nodes.get(name);
    const cluster = tenant && cache.clusters.get(tenant.clusterKey);
    if (tenant === undefined || node === undefined || !isOfCluster(cluster, tenant)) return {};
    const found = cache.machines.get(`${cluster.metadata.namespace}/${name}`);
    const machine = found?.spec.clusterName === cluster.metadata.name ? found : undefined;
    const cloud = clouds.of(tenant.clusterKey, cluster.spec.credentialName);
    if (cloud === undefined || isPaused(machine ?? cluster, cluster)) return {};
    const action = nodeAction(node, machine, cloud.region);
    if (action.kind === 'stays') return {};
    const pass = new Pass(context, clock);
    if (action.kind === 'lookUp') {
      if (!this.#queries.tryTake(tenant.clusterUid, clock.now())) return { requeueAfterMs: RETRY_INTERVAL_MS };
      const isServerDeleted = () => isServerGone(cloud, cluster, name, action, pass.signal);
      const { value: isDeleted } = await pass.run(() =>
        attempts.withBackoff({ kind: 'left node', item: key }, isServerDeleted),
      );
      if (isDeleted === false) pass.requeueAfter(RESYNC_INTERVAL_MS);
      if (!isDeleted) return pass.end();
    }
    await pass.run(() =>
      attempts.withBackoff({ kind: 'delete node', item: key }, () => this.#delete(tenant, node, pass.signal)),
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
      await wrapTenantError(ignoreDeleted(tenant.client.resource(tenantNodes).delete(name, options)));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      recorder.warning(asNode(node), 'DeletingNodeFailed', `Failed to delete node ${name}, will retry: ${cause}`);
      throw error;
    }
  }
}

/** Whether the cluster is the tenant's and not being deleted: deleting a cluster deletes its nodes. */
function isOfCluster(cluster: Cluster | undefined, tenant: TenantCluster): cluster is Cluster {
  if (cluster === undefined || identityOf(cluster) !== tenant.clusterUid) return false;
  return cluster.metadata.deletionTimestamp === undefined;
}

/**
 * Whether the cluster has no server with this name and its project has none with this ID. Rejects with the cloud's
 * error.
 */
async function isServerGone(
  cloud: ProjectCloud,
  cluster: Cluster,
  name: string,
  { serverID }: Extract<NodeAction, { kind: 'lookUp' }>,
  signal: AbortSignal,
): Promise<boolean> {
  await requireOwnProject(cloud, cluster);
  if (cloud.trustedFromMs >= cloud.now()) throw new StillSettlingError('server', cloud.trustedFromMs);
  const snapshot = await cloud.cache.servers.refreshAfter(
    cloud.reliableFromMs(cloud.ledgers.servers, MAX_AGE_MS),
    signal,
  );
  const isListed = serversOfCluster(snapshot, identityOf(cluster)).some((each) => each.name === name);
  if (isListed || serverID === undefined) return !isListed;
  // The server may belong to the tenant and lack Fairway's tag.
  return isServerGoneInCloud(cloud, serverID, { signal });
}
