import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { CLUSTER_UID_LABEL, FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { setCondition } from '@fairway/kube/controller/conditions';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { KubeObject } from '@fairway/kube/object/meta';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ofRuntime } from '@fairway/tenancy/reconcile/runtime-problem';
import { heldUpState, type Operation, operation, percentOf, stepsWith } from '../operation.ts';
import { recordEnd } from '../orphans/ended-clusters.ts';
import { writeStatus } from '../status-writer.ts';
import { endUsage } from '../usage/records.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { deleteCloudResources } from './network-deletion.ts';

/** Requeue interval for what no event announces. */
const RETRY_MS = 2_000;
const NO_CLOUD_RETRY_MS = 60_000;
/** Steps beside the machines: the control plane and the network. */
const OTHER_STEPS = 2;

interface Waiting extends Problem {
  /** Steps that are left: each machine, the control plane, and the network. */
  readonly left: number;
  /** Absent if an event triggers the next step. */
  readonly retryAfterMs?: number;
}

/** One step of deleting a cluster: pools with their machines, the control plane, the network, the credentials, the finalizer. */
export async function deleteCluster(
  cluster: Cluster,
  pools: readonly NodePool[],
  dependencies: ClusterDependencies,
  pass: Pass,
): Promise<Result> {
  if (!hasFinalizer(cluster, FINALIZER)) return {};
  const { attempts, client } = dependencies;
  const uid = identityOf(cluster);
  const { value: waiting, failure } = await pass.run(() =>
    attempts.make({ kind: 'deletion', item: uid }, () => takeDown(cluster, pools, dependencies, pass)),
  );
  if (failure === undefined && waiting === undefined) {
    attempts.forget(uid);
    await removeFinalizer(client.resource(clusters), cluster, FINALIZER);
    return {};
  }
  pass.againIn(waiting?.retryAfterMs);
  return pass.end(() => report(cluster, dependencies, failure ?? (waiting as Waiting)));
}

/** Returns what the deletion waits for; undefined when nothing is left. */
async function takeDown(
  cluster: Cluster,
  pools: readonly NodePool[],
  dependencies: ClusterDependencies,
  { signal }: Pass,
): Promise<Waiting | undefined> {
  const { cache, client, clock, runtime, tenants, credentials } = dependencies;
  const uid = identityOf(cluster);
  const key = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const reason = ConditionReason.Deleting;
  await Promise.all(pools.map((pool) => deletePool(pool, dependencies)));
  const left = cache.machines.find(machinesByCluster, key);
  // Whoever deletes a pool takes its machines along; one whose pool went by force is nobody's else.
  if (pools.length === 0) await Promise.all(left.map((machine) => deleteMachine(machine, dependencies)));
  if (pools.length + left.length > 0) {
    const message = `${counted(left.length, 'machine')} and ${counted(pools.length, 'pool')} still to be deleted`;
    return { left: left.length + OTHER_STEPS, reason, message };
  }
  tenants.remove(uid);
  if (!(await ofRuntime(runtime.remove(uid)))) {
    return { left: OTHER_STEPS, reason, message: 'the control plane is being deleted', retryAfterMs: RETRY_MS };
  }
  const cloud = dependencies.clouds.of(key, cluster.spec.credentialName);
  if (cloud === undefined && cluster.status?.network !== undefined) {
    const { reason, message } = missingCloud(cluster);
    const words = `cloud resources of the cluster cannot be deleted: ${message}`;
    return { left: 1, reason, message: words, retryAfterMs: NO_CLOUD_RETRY_MS };
  }
  if (cloud !== undefined) {
    await requireOwnProject(cloud, cluster);
    const leftover = await leftoverOf(cloud, cluster, signal);
    if (leftover) return { left: 1, reason, ...leftover };
  }
  const unseen = await unseenOf(cluster, dependencies, signal);
  if (unseen > 0) {
    const message = `${unseen} pools or machines that were created during the deletion are being deleted`;
    return { left: 1, reason, message, retryAfterMs: RETRY_MS };
  }
  await endUsage(cluster, dependencies);
  // Also without a cloud: the cluster may have had one, and an answer got lost.
  const projectID = cluster.status?.projectID ?? (await cloud?.client.session.projectId());
  const { credentialName } = cluster.spec;
  await recordEnd(client, { uid, clusterKey: key, credentialName, projectID }, clock.now());
  await credentials.remove(uid);
  return undefined;
}

/**
 * How many pools and machines the API server holds that the caches did not show; they are deleted. A pool may have created a server group, and finds it
 * through the Cluster alone.
 */
async function unseenOf(cluster: Cluster, dependencies: ClusterDependencies, signal: AbortSignal): Promise<number> {
  const { client } = dependencies;
  const { name = '', namespace = '' } = cluster.metadata;
  const options = { namespace, signal };
  const [pools, left] = await Promise.all([
    client.resource(nodePools).list(options),
    client.resource(machines).list({ ...options, labelSelector: `${CLUSTER_UID_LABEL}=${identityOf(cluster)}` }),
  ]);
  const own = pools.items.filter(({ spec }) => spec.clusterName === name);
  await Promise.all(own.map((pool) => deletePool(pool, dependencies)));
  await Promise.all(left.items.map((machine) => deleteMachine(machine, dependencies)));
  return own.length + left.items.length;
}

/** What the deletion waits for in the cloud. Rejects with the cloud's error. */
export async function leftoverOf(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
  remove: typeof deleteCloudResources = deleteCloudResources,
): Promise<{ readonly message: string; readonly retryAfterMs: number } | undefined> {
  try {
    const leftover = await remove(cloud, cluster, signal);
    if (leftover === undefined) return undefined;
    return { message: `waiting for ${leftover.what}`, retryAfterMs: Math.max(leftover.retryAfterMs ?? RETRY_MS, 1) };
  } catch (error) {
    if (!(error instanceof StillSettling)) throw error;
    return { message: error.message, retryAfterMs: Math.max(error.untilMs - cloud.now(), 0) + 1 };
  }
}

function deletePool(pool: NodePool, { client }: ClusterDependencies): Promise<void> {
  return deleteObject(client.resource(nodePools), pool);
}

function deleteMachine(machine: Machine, { client }: ClusterDependencies): Promise<void> {
  return deleteObject(client.resource(machines), machine);
}

async function deleteObject<T extends KubeObject>(resource: ResourceClient<T>, { metadata }: T): Promise<void> {
  const { name = '', namespace, uid, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return;
  const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  await ignoreGone(resource.delete(name, options));
}

async function report(
  cluster: Cluster,
  { client, clock }: ClusterDependencies,
  waiting: Problem & Partial<Pick<Waiting, 'left'>>,
): Promise<void> {
  const nowMs = clock.now();
  const previous = cluster.status;
  const { reason, message } = waiting;
  const condition = { type: ConditionType.Ready, status: 'False' as const, reason, message };
  const status: ClusterStatus = {
    ...previous,
    phase: 'Deleting',
    conditions: [...setCondition(previous?.conditions, condition, nowMs)],
    lastOperation: operation(previous?.lastOperation, deleteOperation(previous, waiting), nowMs),
  };
  await writeStatus(client.resource(clusters), cluster, status);
}

/** How far a deletion is of which so many steps are left. What fails, with nothing known of that, is as far as it was. Pure. */
export function deleteOperation(
  status: ClusterStatus | undefined,
  { left, reason, message }: Problem & Partial<Pick<Waiting, 'left'>>,
): Operation {
  const type = 'Delete';
  const last = status?.lastOperation;
  const known = last?.type === type ? last.steps : undefined;
  const total = (status?.nodes?.current ?? 0) + OTHER_STEPS;
  const before = known === undefined ? total : known.total - known.done;
  const steps = stepsWith(last, type, { left: left ?? before, total });
  const state = heldUpState(reason);
  return { type, state, progress: percentOf(steps), description: message, reason, steps };
}
