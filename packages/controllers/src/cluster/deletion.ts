import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { setCondition } from '@fairway/kube/controller/conditions';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { operation } from '../operation.ts';
import { writeStatus } from '../status-writer.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { deleteCloudResources } from './network-deletion.ts';

/** How soon to look again for what nothing announces. */
const RETRY_MS = 2_000;
const NO_CLOUD_RETRY_MS = 60_000;

/** One step of taking a cluster down: pools with their machines, the control plane, the network, the credentials, the finalizer. */
export async function deleteCluster(
  cluster: Cluster,
  pools: readonly NodePool[],
  dependencies: ClusterDependencies,
): Promise<Result> {
  if (!hasFinalizer(cluster, FINALIZER)) return {};
  const { cache, clock, runtime, tenants, credentials, client, backoff } = dependencies;
  const uid = identityOf(cluster);
  const key = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
  await Promise.all(pools.map((pool) => deletePool(pool, dependencies)));
  const machines = cache.machines.find(machinesByCluster, key);
  if (pools.length + machines.length > 0) {
    const message = `${machines.length} machines and ${pools.length} pools are being deleted`;
    await report(cluster, dependencies, 20, { reason: ConditionReason.Deleting, message });
    return {};
  }
  tenants.remove(uid);
  if (!(await runtime.remove(uid))) {
    await report(cluster, dependencies, 60, {
      reason: ConditionReason.Deleting,
      message: 'the control plane is being deleted',
    });
    return { requeueAfterMs: RETRY_MS };
  }
  const cloud = dependencies.clouds.of(key, cluster.spec.credentialName);
  if (cloud === undefined && cluster.status?.network !== undefined) {
    const { reason, message } = missingCloud(cluster);
    const problem = { reason, message: `what the cluster has in the cloud can not be deleted: ${message}` };
    await report(cluster, dependencies, 80, problem);
    return { requeueAfterMs: NO_CLOUD_RETRY_MS };
  }
  if (cloud !== undefined) {
    try {
      await requireOwnProject(cloud, cluster);
      const leftover = await deleteCloudResources(cloud, cluster);
      if (leftover) {
        await report(cluster, dependencies, 80, {
          reason: ConditionReason.Deleting,
          message: `waiting for ${leftover.what}`,
        });
        return { requeueAfterMs: Math.max(leftover.retryAfterMs ?? RETRY_MS, 1) };
      }
    } catch (error) {
      const found = cloudProblemOf(error, clock.now());
      const problem =
        error instanceof StillSettling ? { ...found, reason: ConditionReason.Deleting, message: error.message } : found;
      if (problem === undefined) throw error;
      await report(cluster, dependencies, 80, problem);
      return { requeueAfterMs: problem.retryAfterMs ?? backoff.failed(key, clock.now()) };
    }
  }
  await credentials.remove(uid);
  backoff.succeeded(key);
  await removeFinalizer(client.resource(clusters), cluster, FINALIZER);
  return {};
}

async function deletePool(pool: NodePool, { client }: ClusterDependencies): Promise<void> {
  const { name = '', namespace, uid, deletionTimestamp } = pool.metadata;
  if (deletionTimestamp !== undefined) return;
  const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  await ignoreGone(client.resource(nodePools).delete(name, options));
}

async function report(
  cluster: Cluster,
  { client, clock }: ClusterDependencies,
  progress: number,
  { reason, message }: Problem,
): Promise<void> {
  const nowMs = clock.now();
  const previous = cluster.status;
  const condition = { type: ConditionType.Ready, status: 'False' as const, reason, message };
  const next = { type: 'Delete' as const, state: 'Processing' as const, progress, description: message };
  const status: ClusterStatus = {
    ...previous,
    phase: 'Deleting',
    conditions: [...setCondition(previous?.conditions, condition, nowMs)],
    lastOperation: operation(previous?.lastOperation, next, nowMs),
  };
  await writeStatus(client.resource(clusters), cluster, status);
}
