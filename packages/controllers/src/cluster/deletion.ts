import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { CLUSTER_UID_LABEL, FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { setCondition } from '@fairway/kube/controller/conditions';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { credentialProblem, describeLoginProblem, missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import { recordDeletedCluster } from '../gc/deleted-cluster-record.ts';
import { heldUpState, type Operation, operation, percentDone, stepsWith } from '../operation.ts';
import { writeStatus } from '../status-writer.ts';
import { endUsage } from '../usage/records.ts';
import { heldObjectsProblem, waitMessage, warnOfWait } from '../waits.ts';
import { cloudCondition, cloudStateOf } from './cloud-condition.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { deleteCloudResources } from './network-deletion.ts';
import { nodeCounts } from './node-counts.ts';
import { remainingProblem } from './remaining-resources.ts';

/** Requeue interval for changes that trigger no event. */
const RETRY_MS = 2_000;
const NO_CLOUD_RETRY_MS = 60_000;
/** Steps in addition to the machines: the control plane and the network. */
const NON_RESOURCE_STEPS = 2;

interface DeletionWait extends Problem {
  /** The part that someone else must resolve, if `message` also contains other parts. It has its own timestamps. */
  readonly held?: Problem | undefined;
  /** Remaining steps: each machine, the control plane, and the network. */
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
    attempts.withBackoff({ kind: 'deletion', item: uid }, () => deleteResources(cluster, pools, dependencies, pass)),
  );
  if (failure === undefined && waiting === undefined) {
    attempts.forget(uid);
    await removeFinalizer(client.resource(clusters), cluster, FINALIZER);
    return {};
  }
  pass.requeueAfter(waiting?.retryAfterMs);
  return pass.end(() => report(cluster, pools, dependencies, { waiting, failure }));
}

/** Returns what the deletion is waiting for; undefined when nothing remains. */
async function deleteResources(
  cluster: Cluster,
  pools: readonly NodePool[],
  dependencies: ClusterDependencies,
  { signal }: Pass,
): Promise<DeletionWait | undefined> {
  const { cache, client, clock, runtime, tenants, credentials } = dependencies;
  const uid = identityOf(cluster);
  const key = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const reason = ConditionReason.Deleting;
  await Promise.all(pools.map((pool) => deletePool(pool, dependencies)));
  const left = cache.machines.find(machinesByCluster, key);
  // Deleting a pool deletes its machines; machines whose pool was force-deleted are deleted here.
  if (pools.length === 0) await Promise.all(left.map((machine) => deleteMachine(machine, dependencies)));
  if (pools.length + left.length > 0) {
    const count = `${pluralize(left.length, 'machine')} and ${pluralize(pools.length, 'pool')} still to be deleted`;
    const held = heldChildren(pools, left);
    const message = held ? `${count}; ${held.message}` : count;
    return { left: left.length + NON_RESOURCE_STEPS, reason: held?.reason ?? reason, message, held };
  }
  tenants.remove(uid);
  if (!(await wrapRuntimeError(runtime.remove(uid)))) {
    return { left: NON_RESOURCE_STEPS, reason, message: 'the control plane is being deleted', retryAfterMs: RETRY_MS };
  }
  const cloud = dependencies.clouds.of(key, cluster.spec.credentialName);
  if (cloud === undefined && cluster.status?.network !== undefined) {
    const { reason, message } = missingCloud(cluster);
    const words = `cloud resources of the cluster cannot be deleted: ${message}`;
    return { left: 1, reason, message: words, retryAfterMs: NO_CLOUD_RETRY_MS };
  }
  if (cloud !== undefined) {
    await requireOwnProject(cloud, cluster);
    const remaining = await remainingResources(cloud, cluster, signal);
    if (remaining) return { left: 1, reason, ...remaining };
  }
  const unlistedCount = await countUnlisted(cluster, dependencies, signal);
  if (unlistedCount > 0) {
    const message = `${unlistedCount} pools or machines created during the deletion are being deleted`;
    return { left: 1, reason, message, retryAfterMs: RETRY_MS };
  }
  await endUsage(cluster, dependencies);
  // The record is written even without a cloud: the cluster may have had one, and a response from it may have been
  // lost.
  const projectID = cluster.status?.projectID ?? (await cloud?.client.session.projectId());
  const { credentialName } = cluster.spec;
  await recordDeletedCluster(client, { uid, clusterKey: key, credentialName, projectID }, clock.now());
  await credentials.remove(uid);
  return undefined;
}

/**
 * Deletes pools and machines that exist in the API server but were missing from the caches, and returns their number. A
 * pool may have created a server group, which is found only through the Cluster.
 */
async function countUnlisted(
  cluster: Cluster,
  dependencies: ClusterDependencies,
  signal: AbortSignal,
): Promise<number> {
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

/**
 * What the deletion is waiting for in the cloud. Rejects with the cloud's error, or with a problem that does not
 * resolve on its own.
 */
export async function remainingResources(
  cloud: ProjectCloud,
  cluster: Cluster,
  signal: AbortSignal,
  remove: typeof deleteCloudResources = deleteCloudResources,
): Promise<{ readonly message: string; readonly retryAfterMs: number } | undefined> {
  try {
    const remaining = await remove(cloud, cluster, signal);
    if (remaining === undefined) return undefined;
    const { reason, message } = remainingProblem(remaining);
    // Blocked deletions are retried with backoff.
    if (remaining.held) throw new ProblemError({ reason, message });
    return { message, retryAfterMs: Math.max(remaining.retryAfterMs ?? RETRY_MS, 1) };
  } catch (error) {
    if (!(error instanceof StillSettlingError)) throw error;
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
  await ignoreDeleted(resource.delete(name, options));
}

/** What the remaining machines are waiting for, and the pools that have no machines left. */
function heldChildren(pools: readonly NodePool[], left: readonly Machine[]): Problem | undefined {
  const poolsWithMachines = new Set(left.map(({ spec }) => spec.nodePoolName));
  const without = pools.filter(({ metadata }) => !poolsWithMachines.has(metadata.name ?? ''));
  return heldObjectsProblem([
    { noun: 'machine', objects: left },
    { noun: 'pool', objects: without },
  ]);
}

async function report(
  cluster: Cluster,
  pools: readonly NodePool[],
  dependencies: ClusterDependencies,
  { waiting, failure }: { readonly waiting: DeletionWait | undefined; readonly failure: Failure | undefined },
): Promise<void> {
  const { cache, client, clock, clouds, events } = dependencies;
  const nowMs = clock.now();
  const previous = cluster.status;
  const cloud = clouds.of(keyOf(cluster), cluster.spec.credentialName);
  const refused = credentialProblem(cluster, cache.credentials);
  const { reason, message }: Problem = failure
    ? (withSameReason(refused, failure) ?? describeLoginProblem(failure, { cluster, cloud }))
    : (waiting as DeletionWait);
  const left = waiting && { left: waiting.left };
  const lastOperation = operation(
    previous?.lastOperation,
    deleteOperation(previous, { reason, message, ...left }),
    nowMs,
  );
  const cloudState = refused ? { problem: refused } : cloud && cloudStateOf(cloud, failure);
  const ready = {
    type: ConditionType.Ready,
    status: 'False' as const,
    reason,
    message: waiting?.held ? message : waitMessage(lastOperation),
  };
  const states = [ready, cloudCondition({ cloud: cloudState, nowMs }, previous)];
  const nodes = nodeCounts(pools, cluster);
  const status: ClusterStatus = {
    ...previous,
    phase: 'Deleting',
    conditions: states.reduce<Condition[]>(
      (conditions, state) => (state ? [...setCondition(conditions, state, nowMs)] : conditions),
      [...(previous?.conditions ?? [])],
    ),
    nodes,
    readySummary: `${nodes.ready}/${nodes.desired}`,
    lastOperation,
  };
  warnOfWait(events, cluster, waiting?.held ?? { reason, message });
  await writeStatus(client.resource(clusters), cluster, status);
}

/** The problem reported by the CloudCredential, if that is why the cloud rejects requests. */
function withSameReason(refused: Problem | undefined, { reason }: Problem): Problem | undefined {
  return refused?.reason === reason ? refused : undefined;
}

/**
 * Progress of a deletion with this many remaining steps. If a pass fails before it can count the steps, progress is
 * unchanged. Pure.
 */
export function deleteOperation(
  status: ClusterStatus | undefined,
  { left, reason, message }: Problem & Partial<Pick<DeletionWait, 'left'>>,
): Operation {
  const type = 'Delete';
  const last = status?.lastOperation;
  const known = last?.type === type ? last.steps : undefined;
  const total = (status?.nodes?.current ?? 0) + NON_RESOURCE_STEPS;
  const before = known === undefined ? total : known.total - known.done;
  const steps = stepsWith(last, type, { left: left ?? before, total });
  const state = heldUpState(reason);
  return { type, state, progress: percentDone(steps), description: message, reason, steps };
}
