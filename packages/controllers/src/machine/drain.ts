import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { pluralize } from '@fairway/api/domain/pluralize';
import { shouldHaveNoNodes } from '@fairway/api/domain/reset';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { findCondition } from '@fairway/kube/controller/conditions';
import { nodeReadyCondition, type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { tenantProblemOf, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { describeRemainingPods, heldProblem, isForced, mayBeHeld } from './drain-hold.ts';
import { blockingBudgets, describeBlockingBudgets } from './pod-budgets.ts';
import { type DrainedPod, type DrainState, deletePods, evictPods } from './pod-eviction.ts';
import type { MachineScope } from './scope.ts';

const { DrainHeld, PodDisruptionBudget } = ConditionReason;

/** Poll interval of a drain: pods take seconds to stop, and budgets free up when other pods become ready. */
export const DRAIN_INTERVAL_MS = 2_000;
/** Poll interval when budgets have blocked a drain for unusually long: the delay that the eviction API requests. */
const BLOCKED_INTERVAL_MS = 10_000;
/** Poll interval of a held drain, which may last for days. */
const HELD_INTERVAL_MS = 60_000;
/** How long PodDisruptionBudgets may block a drain if neither pool nor plan specifies it (OVHcloud's limit). */
const DEFAULT_DRAIN_TIMEOUT_MS = 600_000;
/**
 * How much time pods have to terminate when their cluster hibernates or is reset: six times the default grace period.
 */
const NO_NODES_DRAIN_TIMEOUT_MS = 180_000;

/** How long the tenant's cluster may still delay a drain that started at `startTime`. */
export function drainTimeLeftMs(scope: MachineScope, startTime: string | undefined): number {
  const { cluster, pool, plan, dependencies } = scope;
  const timeoutMs = drainTimeoutMs(pool?.spec, plan?.spec) ?? DEFAULT_DRAIN_TIMEOUT_MS;
  const limitMs = shouldHaveNoNodes(cluster) ? Math.min(timeoutMs, NO_NODES_DRAIN_TIMEOUT_MS) : timeoutMs;
  return Date.parse(startTime ?? '') + limitMs - dependencies.clock.now();
}

/** What a drain is waiting for, and when to check again. */
export interface DrainWait extends Problem {
  readonly retryAfterMs: number;
}

export interface DrainOptions {
  /** When the drain started. */
  readonly startTime: string | undefined;
  /** What happens to the server afterwards, as part of a message: `the server is deleted`. */
  readonly target: string;
  /** Whether the node is being updated, so that its pool may hold it beyond the timeout. */
  readonly holdsDrains: boolean;
}

/**
 * Cordons the node and evicts its pods, once. Returns what the drain is waiting for; undefined when the node is drained
 * or deleted, or the drain has timed out. After the timeout the remaining pods are left behind, unless the pool holds
 * the node for them. If the kubelet does not respond, or the server is gone or off, the drain does not wait for
 * terminating pods: nothing on the node can stop them, but deleting the server will.
 */
export async function drainNode(scope: MachineScope, order: DrainOptions): Promise<DrainWait | undefined> {
  const { node, tenant } = scope;
  const { startTime, target, holdsDrains } = order;
  if (scope.isNodeKnown && node === undefined) {
    clearDrainState(scope);
    return undefined;
  }
  const leftMs = drainTimeLeftMs(scope, startTime);
  const isHeld = leftMs <= 0 && holdsDrains && mayBeHeld(scope);
  const isOver = leftMs <= 0 && !isHeld;
  if (isForced(scope.machine, startTime) || isOver) {
    if (isOver && !isForced(scope.machine, startTime)) await warnOfTimeout(scope, order);
    clearDrainState(scope);
    return undefined;
  }
  const retryAfterMs = isHeld ? HELD_INTERVAL_MS : DRAIN_INTERVAL_MS;
  if (node === undefined || tenant === undefined) {
    const message = 'the API server of the cluster is not connected yet';
    return { ...(reportedPodProblem(scope) ?? { reason: ConditionReason.Draining, message }), retryAfterMs };
  }
  try {
    const state = await evictFromNode(scope, node, tenant, startTime);
    if (state.remaining.length === 0 && (state.detaching.length === 0 || isHeld)) {
      clearDrainState(scope);
      return undefined;
    }
    if (isHeld) {
      const sinceMs = scope.now() + leftMs;
      return { ...(await wrapTenantError(heldProblem(scope, tenant.client, state, sinceMs))), retryAfterMs };
    }
    const left = `${target} by ${formatTime(scope.now() + leftMs)} at the latest`;
    return await drainWaitOf(scope, tenant, state, { left, leftMs });
  } catch (error) {
    const problem = tenantProblemOf(error);
    if (problem === undefined) throw error;
    return { ...problem, message: `${problem.message}; trying again`, retryAfterMs };
  }
}

const DRAIN_REASONS: ReadonlySet<string> = new Set<ConditionReason>([
  ConditionReason.Draining,
  PodDisruptionBudget,
  DrainHeld,
]);

/**
 * Warns about pods that did not terminate in time, and what blocks them. Recorded once, because the machine then
 * reports its next step.
 */
async function warnOfTimeout(scope: MachineScope, { startTime, target }: DrainOptions): Promise<void> {
  const { machine, dependencies } = scope;
  const reason = findCondition(machine.status?.conditions, ConditionType.Ready)?.reason;
  if (reason === undefined || !DRAIN_REASONS.has(reason)) return;
  const what = await describeRemaining(scope, startTime);
  if (what === undefined) return;
  const message = `the drain timed out, so ${target} with the remaining pods: ${what}`;
  dependencies.events.warning(machine, 'DrainTimedOut', message);
}

/**
 * What remains on the node, and whose PodDisruptionBudget blocks it, after a last eviction attempt; undefined if
 * nothing remains.
 */
async function describeRemaining(scope: MachineScope, startTime: string | undefined): Promise<string | undefined> {
  const { node, tenant, machine } = scope;
  const lastDescription = machine.status?.lastOperation?.description;
  if (node === undefined || tenant === undefined) return lastDescription;
  try {
    const state = await evictFromNode(scope, node, tenant, startTime);
    if (state.remaining.length === 0) return undefined;
    return await wrapTenantError(describeRemainingPods(scope, tenant.client, state));
  } catch (error) {
    if (tenantProblemOf(error) === undefined) throw error;
    return lastDescription;
  }
}

/** Whether the cloud reports that the server is off or gone, which happens before the node's lease expires. */
function isServerDown({ status }: Machine): boolean {
  // Only a server known to be deleted has an ID but no state; a server too new for the list has no node yet.
  return status?.serverID !== undefined && (status.serverStatus ?? 'SHUTOFF') === 'SHUTOFF';
}

async function evictFromNode(
  scope: MachineScope,
  node: TenantNode,
  { client }: TenantCluster,
  startTime: string | undefined,
): Promise<DrainState> {
  if (!node.spec?.unschedulable) await setCordon(scope, true);
  const isWaitingForPods = nodeReadyCondition(node)?.status !== 'Unknown' && !isServerDown(scope.machine);
  const { uid: machineUid, signal } = scope;
  const nodeName = node.metadata.name ?? '';
  if (shouldHaveNoNodes(scope.cluster))
    return wrapTenantError(deletePods(client, nodeName, { startTime, isWaitingForPods, signal }));
  const nowMs = scope.now();
  const question = { machineUid, nodeName, client, nowMs, signal };
  const volumes = (podsOnNode: readonly DrainedPod[]) => scope.dependencies.volumes.of(question, podsOnNode);
  return wrapTenantError(evictPods(client, nodeName, { startTime, isWaitingForPods, volumes, nowMs, signal }));
}

/** What a drain before its timeout is waiting for. Rejects with the tenant's error. */
async function drainWaitOf(
  scope: MachineScope,
  { client }: TenantCluster,
  { remaining, blocked, detaching }: DrainState,
  { left, leftMs }: { readonly left: string; readonly leftMs: number },
): Promise<DrainWait> {
  const reason = ConditionReason.Draining;
  const stuckPods = scope.dependencies.blockedPods.stuckPods(scope.uid, blocked, {
    wasReported: reportedPodProblem(scope)?.reason === PodDisruptionBudget,
    nowMs: scope.now(),
  });
  if (stuckPods.length > 0) {
    const budgets = await wrapTenantError(blockingBudgets(client, stuckPods, scope.signal));
    const problem = {
      reason: budgets.isAddon ? reason : PodDisruptionBudget,
      message: describeBlockingBudgets(budgets),
    };
    const areAllStuck = stuckPods.length === remaining.length;
    const retryAfterMs = Math.min(areAllStuck ? BLOCKED_INTERVAL_MS : DRAIN_INTERVAL_MS, leftMs);
    return { ...problem, message: `${problem.message}; ${left}`, retryAfterMs };
  }
  const isDetaching = detaching.length > 0 && blocked.length === 0;
  const what = isDetaching
    ? `volume ${detaching[0]} is still to be detached from the node`
    : `${pluralize(remaining.length, 'pod')} still to be evicted from the node`;
  return { reason, message: `${what}; ${left}`, retryAfterMs: DRAIN_INTERVAL_MS };
}

/** What the Machine reports about pods that block its drain; it is valid until the tenant's API reports otherwise. */
function reportedPodProblem({ machine }: MachineScope): Problem | undefined {
  const reason = findCondition(machine.status?.conditions, ConditionType.Ready)?.reason;
  if (reason !== PodDisruptionBudget && reason !== DrainHeld) return undefined;
  return { reason, message: machine.status?.lastOperation?.description ?? '' };
}

function clearDrainState({ dependencies, uid }: MachineScope): void {
  dependencies.volumes.forget(uid);
  dependencies.blockedPods.forget(uid);
}

/** Cordons or uncordons the node, if it exists. Rejects with the tenant's error. */
export async function setCordon({ node, tenant, signal }: MachineScope, isCordoned: boolean): Promise<void> {
  if (node === undefined || tenant === undefined) return;
  const patch = { type: 'strategic' as const, value: { spec: { unschedulable: isCordoned ? true : null } } };
  await wrapTenantError(
    ignoreDeleted(tenant.client.resource(tenantNodes).patch(node.metadata.name ?? '', patch, { signal })),
  );
}
