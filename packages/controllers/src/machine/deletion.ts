import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { FINALIZER } from '@fairway/api/group';
import { type MachineStatus, machines } from '@fairway/api/kinds/machine';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { type ConditionState, findCondition, setCondition } from '@fairway/kube/controller/conditions';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { deletesImmediately, forceDeleteRetained, retainedServer } from '@fairway/tenancy/cloud/server-removal';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { tenantProblemOf, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { describeLoginProblem, missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { isLate, joinHeld, removeEach } from '../cluster/remaining-resources.ts';
import { heldUpState, operation } from '../operation.ts';
import { writeStatus } from '../status-writer.ts';
import { waitMessage, warnOfWait } from '../waits.ts';
import { DRAIN_INTERVAL_MS, type DrainWait, drainNode, drainTimeLeftMs } from './drain.ts';
import { removeFloatingIps } from './floating-ip.ts';
import { inspectionHold, recordInspectionEvents } from './inspection.ts';
import { stepsOf } from './last-operation.ts';
import { removePorts } from './port.ts';
import { removeRootVolume } from './root-volume.ts';
import type { MachineScope } from './scope.ts';
import { deleteServer } from './server.ts';
import { busyServerProblem, hasFailed, refusedServerProblem } from './server-holds.ts';

/** What a deletion is waiting for, and its progress. */
interface DeletionWait extends Problem {
  readonly phase: 'Draining' | 'Terminated';
  /** Percent. */
  readonly progress: number;
  /** The server is retained for inspection. */
  readonly isKept?: boolean;
  /** Absent if the next server list requeues the machine. */
  readonly retryAfterMs?: number;
}

/** One step of deleting a machine: drain the node, delete the server with its resources, then the node, then the finalizer. */
export async function deleteMachine(scope: MachineScope, pass: Pass): Promise<Result> {
  const { machine, dependencies } = scope;
  if (!hasFinalizer(machine, FINALIZER)) return {};
  const { value: waiting, failure } = await pass.run(() => deleteResources(scope));
  if (failure === undefined && waiting === undefined) {
    dependencies.expectations.settle(scope.key);
    dependencies.builds.release(scope.uid);
    dependencies.attempts.forget(scope.uid);
    await removeFinalizer(dependencies.client.resource(machines), machine, FINALIZER);
    return {};
  }
  pass.requeueAfter(waiting?.retryAfterMs);
  const phase = machine.status?.phase === 'Terminated' ? ('Terminated' as const) : ('Draining' as const);
  const operation = failure
    ? { ...describeLoginProblem(failure, scope), phase, progress: 50 }
    : (waiting as DeletionWait);
  return pass.end(() => report(scope, operation));
}

/** Returns what the deletion is waiting for; undefined when nothing remains. */
async function deleteResources(scope: MachineScope): Promise<DeletionWait | undefined> {
  const drainWait = await drain(scope);
  if (drainWait) return { phase: 'Draining', progress: 20, ...drainWait };
  const inspectionWait = scope.machine.status?.phase === 'Terminated' ? undefined : await inspectionHold(scope);
  if (inspectionWait) return { phase: 'Draining', progress: 40, isKept: true, ...inspectionWait };
  const waiting = (await removeServers(scope)) ?? (await removeKeptServer(scope));
  if (waiting) return { phase: 'Terminated', progress: 60, ...waiting };
  scope.dependencies.expectations.settle(scope.key, 'deletion');
  await removeFloatingIps(scope);
  await removePorts(scope);
  const volumeWait = await removeVolume(scope);
  if (volumeWait) return { phase: 'Terminated', progress: 80, ...volumeWait };
  const leaving = await removeNode(scope);
  if (leaving) return { phase: 'Terminated', progress: 90, retryAfterMs: DRAIN_INTERVAL_MS, ...leaving };
  return undefined;
}

/** Drains the node. Returns what it is waiting for, or undefined when the server may be deleted. */
async function drain(scope: MachineScope): Promise<DrainWait | undefined> {
  const { machine } = scope;
  if (isClusterDeleted(scope) || machine.status?.phase === 'Terminated') return undefined;
  const holdsDrains = machine.spec.onDrainTimeout === 'Hold';
  return drainNode(scope, {
    startTime: machine.metadata.deletionTimestamp,
    target: 'the server is deleted',
    holdsDrains,
  });
}

function isClusterDeleted({ cluster }: MachineScope): boolean {
  return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
}

/**
 * Usually the next list requeues the machine; there is no event for a server that was deleted before any list contained
 * it.
 */
const RESYNC_INTERVAL_MS = 1_000;
const NO_CLOUD_RETRY_MS = 60_000;
/** Only time or the cloud operator can resolve it. */
const INSPECTION_RETRY_MS = 600_000;
/** The percentage at which a step is done: drained, server deleted, node deleted. */
const PROGRESS_STEPS = [40, 90, 100];

/** Deletes the machine's servers. Undefined when a trustworthy list contains none. */
async function removeServers(
  scope: MachineScope,
): Promise<Pick<DeletionWait, 'reason' | 'message' | 'retryAfterMs'> | undefined> {
  const { cloud, dependencies } = scope;
  if (cloud === undefined) {
    const { cluster, machine } = scope;
    const { serverID } = machine.status ?? {};
    if (serverID === undefined) return undefined;
    const { reason, message } = missingCloud(cluster ?? { metadata: machine.metadata, spec: {} });
    const words = `server ${serverID} cannot be deleted: ${message}`;
    return { reason, message: words, retryAfterMs: NO_CLOUD_RETRY_MS };
  }
  await requireOwnProject(cloud, scope.cluster);
  // Servers requested by an earlier run of this process may still appear.
  if (scope.now() > cloud.trustedFromMs) await cloud.cache.servers.refreshAfter(cloud.trustedFromMs);
  const owned = await scope.listedServers();
  const listedAtMs = cloud.cache.servers.snapshot().listedAtMs;
  const problem = { reason: ConditionReason.Deleting, message: 'the cloud is deleting the server' };
  dependencies.expectations.expect(scope.key, cloud.cache.servers, 'deletion');
  if (owned === undefined || listedAtMs === undefined) return problem;
  if (owned.kind === 'settling') return { ...problem, retryAfterMs: Math.max(owned.untilMs - scope.now(), 0) + 1 };
  const known = scope.machine.status?.serverID;
  const isDeletionRequested = scope.machine.status?.phase === 'Terminated';
  // A paginated list may miss a server: the known one is deleted even if not listed.
  const ids = new Set([
    ...owned.items.map(({ id }) => id),
    ...(known !== undefined && !isDeletionRequested ? [known] : []),
  ]);
  const left = [...ids, ...owned.deleting.map(({ id }) => id)].map((id) => listedServer(scope, id));
  // A server that Nova could not delete is retried with backoff.
  const failed = isDeletionRequested ? left.filter(hasFailed).map(busyServerProblem) : [];
  const refused = await removeEach(
    [...ids].map((id) => listedServer(scope, id)),
    ({ id }) => deleteServer(scope, id),
    refusedServerProblem,
  );
  const drainedTime = findCondition(scope.machine.status?.conditions, ConditionType.Drained)?.lastTransitionTime;
  const isSlow = isDeletionRequested && isLate(drainedTime, scope.now());
  const held = refused ?? joinHeld(failed) ?? (isSlow ? joinHeld(left.map(busyServerProblem)) : undefined);
  if (held) {
    // A blocked deletion is not polled more often.
    dependencies.expectations.settle(scope.key);
    throw new ProblemError(held);
  }
  if (left.length > 0) return { ...problem, retryAfterMs: RESYNC_INTERVAL_MS };
  if (listedAtMs < cloud.trustedFromMs)
    return { ...problem, retryAfterMs: Math.max(cloud.trustedFromMs - scope.now(), 0) + 1 };
  return undefined;
}

function listedServer({ cloud }: MachineScope, id: string): { readonly id: string } & Partial<Server> {
  return cloud?.cache.servers.snapshot().items.get(id) ?? { id };
}

/**
 * Nova may retain a deleted server with its ports and volumes while no list contains it: the machine is not fully
 * deleted until the server is.
 */
async function removeKeptServer(
  scope: MachineScope,
): Promise<Pick<DeletionWait, 'reason' | 'message' | 'retryAfterMs'> | undefined> {
  const { cloud, machine, signal } = scope;
  const { serverID } = machine.status ?? {};
  if (cloud === undefined || serverID === undefined || deletesImmediately(cloud)) return undefined;
  const { state } = await forceDeleteRetained(cloud, serverID, { signal });
  switch (state) {
    case 'gone':
      return undefined;
    case 'deleting':
      return {
        reason: ConditionReason.Deleting,
        message: 'the cloud is deleting the server',
        retryAfterMs: RESYNC_INTERVAL_MS,
      };
    case 'kept':
      // Nothing is waiting for its address, and no list will show its deletion.
      await removeFloatingIps(scope);
      scope.dependencies.expectations.settle(scope.key);
      return { ...retainedServer(serverID), retryAfterMs: INSPECTION_RETRY_MS };
  }
}

const VOLUME_RETRY_MS = 5_000;

/** Returns what it is waiting for while Cinder is deleting the server's root volume. */
async function removeVolume(
  scope: MachineScope,
): Promise<Pick<DeletionWait, 'reason' | 'message' | 'retryAfterMs'> | undefined> {
  const { rootVolumeID, conditions } = scope.machine.status ?? {};
  const drained = findCondition(conditions, ConditionType.Drained);
  const drainedMs = drained?.status === 'True' ? Date.parse(drained.lastTransitionTime) : scope.now();
  if ((await removeRootVolume(scope, drainedMs)) === 'done') return undefined;
  const message = `the cloud is deleting volume ${rootVolumeID}, the root volume of the server`;
  return { reason: ConditionReason.Deleting, message, retryAfterMs: VOLUME_RETRY_MS };
}

/**
 * Deletes the node and its token from the cluster. Returns what it is waiting for; it waits no longer than a drain
 * would.
 */
async function removeNode(scope: MachineScope): Promise<Problem | undefined> {
  const { tenant, cluster, machine, dependencies } = scope;
  if (isClusterDeleted(scope) || cluster === undefined) return undefined;
  const isWithinGracePeriod = drainTimeLeftMs(scope, machine.metadata.deletionTimestamp) > 0;
  if (tenant === undefined) {
    if (scope.isNodeKnown) return undefined;
    const message = 'the API server of the cluster is not connected yet';
    return isWithinGracePeriod ? { reason: ConditionReason.Deleting, message } : recordNodeLeftBehind(scope, message);
  }
  const { name = '' } = machine.metadata;
  try {
    await wrapTenantError(ignoreDeleted(tenant.client.resource(tenantNodes).delete(name, { signal: scope.signal })));
    await dependencies.bootstrapper.revoke(cluster, machine);
    return undefined;
  } catch (error) {
    const problem = tenantProblemOf(error);
    if (problem === undefined) throw error;
    return isWithinGracePeriod ? problem : recordNodeLeftBehind(scope, problem.message);
  }
}

/** Recorded on the Cluster, which outlives the Machine. */
function recordNodeLeftBehind({ cluster, machine, dependencies }: MachineScope, why: string): undefined {
  if (cluster === undefined) return;
  const { name } = machine.metadata;
  const left = `node ${name} and its bootstrap token remain in the cluster: ${why}`;
  const message = `${left}; the token expires within a day; delete the node with: kubectl delete node ${name}`;
  dependencies.events.warning(cluster, 'NodeLeftBehind', message);
}

async function report(
  scope: MachineScope,
  { phase, progress, reason, message: description, isKept }: Omit<DeletionWait, 'retryAfterMs'>,
): Promise<void> {
  const { machine, dependencies } = scope;
  const nowMs = scope.now();
  const previous = machine.status;
  const steps = stepsOf(progress, PROGRESS_STEPS);
  const state = isKept ? 'Processing' : heldUpState(reason);
  const next = { type: 'Delete', state, progress, description, reason, steps } as const;
  const lastOperation = operation(previous?.lastOperation, next, nowMs);
  const message = isKept ? description : waitMessage(lastOperation);
  const states: ConditionState[] = [
    { type: ConditionType.Ready, status: 'False' as const, reason, message },
    {
      type: ConditionType.Drained,
      status: phase === 'Terminated' ? ('True' as const) : ('False' as const),
      reason,
      message,
    },
  ];
  const isEnded = findCondition(previous?.conditions, ConditionType.KeptForInspection) !== undefined;
  const kept = {
    type: ConditionType.KeptForInspection,
    status: isKept ? ('True' as const) : ('False' as const),
    reason,
    message,
  };
  // The condition survives a transient failure, or another drain.
  if (isKept || (isEnded && phase === 'Terminated')) states.push(kept);
  let conditions = previous?.conditions ?? [];
  for (const state of states) conditions = [...setCondition(conditions, state, nowMs)];
  const status: MachineStatus = { ...previous, phase, conditions, lastOperation };
  if (!isKept) warnOfWait(dependencies.events, machine, { reason, message: description });
  await writeStatus(dependencies.client.resource(machines), machine, status);
  if (isKept) recordInspectionEvents(scope, { reason, message: description, retryAfterMs: 0 });
  if (phase !== previous?.phase) scope.recordEvents(status);
}
