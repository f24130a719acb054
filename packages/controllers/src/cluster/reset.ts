import { ConditionReason } from '@fairway/api/conditions';
import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { ResetStatus } from '@fairway/api/kinds/cluster-reset';
import { machines } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { replaceAuthorities } from '@fairway/control-plane/pki/cluster-rotation';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import { type ControlPlaneFacts, NO_CONTROL_PLANE } from './control-plane.ts';
import { remainingResources } from './deletion.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { nextForcedUpgrade } from './forced-upgrade.ts';
import { deleteWorkloadResources } from './network-deletion.ts';
import type { VersionChoice } from './version-facts.ts';

/** Poll interval for changes that trigger no event. */
const RETRY_MS = 2_000;

/** The result of a step of a reset: the next phase, or what it is waiting for. */
interface ResetStep {
  readonly reset: ResetStatus;
  readonly problem?: Problem | undefined;
}

interface ResetWait {
  readonly message: string;
  readonly retryAfterMs: number;
}

/** One step towards an empty control plane, for a cluster whose nodes from before the reset are deleted according to the cache. */
export async function resetControlPlane(
  cluster: Cluster,
  reset: ResetStatus,
  cloud: ProjectCloud,
  dependencies: ClusterDependencies,
  pass: Pass,
): Promise<ControlPlaneFacts> {
  if (reset.phase === 'RemovingNodes') {
    const left = await pass.run(() => hasMachines(cluster, dependencies, pass.signal));
    const since = formatTime(dependencies.clock.now());
    const next = left.value === false ? { ...reset, phase: 'EmptyingControlPlane' as const, since } : reset;
    if (left.value) pass.requeueAfter(RETRY_MS);
    return { ...NO_CONTROL_PLANE, controlPlaneProblem: left.failure, resetting: { reset: next, problem: undefined } };
  }
  const step = await emptyCluster(cluster, reset, cloud, dependencies, pass);
  const resetting = { reset: step.reset, problem: undefined };
  const startingChoice = step.reset.phase === 'Starting' && { choice: chosenVersion(cluster, step.reset) };
  return { ...NO_CONTROL_PLANE, controlPlaneProblem: step.problem, resetting, ...startingChoice };
}

/**
 * The version that the reset cluster starts with. `spec.version` may still be the version from before an automatic
 * upgrade, and is ignored as before.
 */
function chosenVersion({ status }: Cluster, { version }: ResetStatus): VersionChoice {
  return { version, waiting: undefined, forced: nextForcedUpgrade(status, version) };
}

/**
 * Whether the API server has any of the cluster's machines: the cache may lack one that was just created. Rejects with
 * the API's error.
 */
async function hasMachines(
  cluster: Cluster,
  { client }: Pick<ClusterDependencies, 'client'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = '' } = cluster.metadata;
  const labelSelector = `${CLUSTER_UID_LABEL}=${identityOf(cluster)}`;
  const { items } = await client.resource(machines).list({ namespace, labelSelector, signal });
  return items.length > 0;
}

/**
 * Wipes the control plane of a cluster that is being reset: its database, then its workload resources by ownership
 * tags, then its certificates and keys. Each step can be repeated until the status records it as done; nothing of the
 * new cluster runs before that.
 */
async function emptyCluster(
  cluster: Cluster,
  reset: ResetStatus,
  cloud: ProjectCloud,
  dependencies: ClusterDependencies,
  pass: Pass,
): Promise<ResetStep> {
  const { attempts, clock } = dependencies;
  const item = identityOf(cluster);
  const step = { kind: 'reset', item };
  const { value, failure } = await pass.run(() =>
    attempts.withBackoff(step, () => empty(cluster, reset, cloud, dependencies, pass.signal)),
  );
  if (failure) return { reset, problem: failure };
  if (value.waiting) {
    pass.requeueAfter(value.waiting.retryAfterMs);
    return { reset, problem: { reason: ConditionReason.Resetting, message: value.waiting.message } };
  }
  const now = formatTime(clock.now());
  return { reset: value.newer ?? { ...reset, phase: 'Starting', since: now, emptiedTime: now } };
}

async function empty(
  cluster: Cluster,
  reset: ResetStatus,
  cloud: ProjectCloud,
  dependencies: ClusterDependencies,
  signal: AbortSignal,
): Promise<{ readonly waiting?: ResetWait; readonly newer?: ResetStatus }> {
  const { client, clock, credentials, runtime, tenants } = dependencies;
  const { name = '', namespace = '', uid } = cluster.metadata;
  // With a stale cache, a cluster that has already restarted would be wiped.
  const live = await client.resource(clusters).get(name, { namespace, signal });
  const { reset: newest } = live.status ?? {};
  if (live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return STALE_OBSERVATION;
  if (newest?.phase !== reset.phase || newest.requestedAt !== reset.requestedAt) {
    return newest === undefined ? STALE_OBSERVATION : { newer: newest };
  }
  const key = identityOf(cluster);
  tenants.remove(key);
  const keepsNodes = reset.nodes === 'Reinstall';
  if (!keepsNodes && (await hasMachines(cluster, dependencies, signal))) {
    return {
      waiting: { message: 'a machine created at the last moment is being deleted', retryAfterMs: RETRY_MS },
    };
  }
  if (!(await wrapRuntimeError(runtime.wipe(key)))) {
    return { waiting: { message: 'the control plane is being wiped', retryAfterMs: RETRY_MS } };
  }
  if (!keepsNodes) {
    await requireOwnProject(cloud, cluster);
    const remaining = await remainingResources(cloud, cluster, signal, deleteWorkloadResources);
    if (remaining) return { waiting: remaining };
  }
  await credentials.change(cluster, (pki) => replaceAuthorities(pki, clock));
  return {};
}

const STALE_OBSERVATION = { waiting: { message: 'the control plane is being wiped', retryAfterMs: RETRY_MS } };
