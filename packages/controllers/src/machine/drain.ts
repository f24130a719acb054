import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { isWithoutNodes } from '@fairway/api/domain/reset';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { findCondition } from '@fairway/kube/controller/conditions';
import { nodeReadyCondition, type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ofTenant, tenantProblemOf } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { heldProblem, isForced, mayBeHeld } from './drain-hold.ts';
import { describeKeepers, keepersOf } from './pod-budgets.ts';
import { type DrainedPod, type DrainState, deletePods, evictPods } from './pod-eviction.ts';
import type { MachineScope } from './scope.ts';

const { DrainHeld, PodDisruptionBudget } = ConditionReason;

/** Poll interval of a drain: pods take seconds to stop, and budgets free up when others become ready. */
export const DRAIN_INTERVAL_MS = 2_000;
/** Of one that budgets have blocked for longer than is ordinary: how long the eviction API asks to wait. */
const BLOCKED_INTERVAL_MS = 10_000;
/** Of one that is held, which may last for days. */
const HELD_INTERVAL_MS = 60_000;
/** How long PodDisruptionBudgets may block a drain where neither pool nor plan are there to say (OVHcloud's limit). */
const DEFAULT_DRAIN_TIMEOUT_MS = 600_000;
/** How long pods have to end when their cluster hibernates, or is reset: six times their usual grace period. */
const NO_NODES_DRAIN_TIMEOUT_MS = 180_000;

/** How long the tenant's cluster may still hold up a drain that began then. */
export function drainTimeLeftMs(scope: MachineScope, startTime: string | undefined): number {
  const { cluster, pool, plan, dependencies } = scope;
  const usualMs = drainTimeoutMs(pool?.spec, plan?.spec) ?? DEFAULT_DRAIN_TIMEOUT_MS;
  const limitMs = isWithoutNodes(cluster) ? Math.min(usualMs, NO_NODES_DRAIN_TIMEOUT_MS) : usualMs;
  return Date.parse(startTime ?? '') + limitMs - dependencies.clock.now();
}

/** What a drain waits for, and when to look again. */
export interface DrainWait extends Problem {
  readonly retryAfterMs: number;
}

export interface DrainOrder {
  /** When it began. */
  readonly startTime: string | undefined;
  /** What happens to the server then, for people: `the server goes`. */
  readonly goal: string;
  /** Whether the node is renewed, so that its pool may hold it beyond the time limit. */
  readonly isRenewal: boolean;
}

/**
 * Cordons the node and evicts its pods, once. Returns what the drain waits for; undefined when the node is drained or gone, or the time is over: then the
 * pods that could not leave are left behind, unless the pool holds the node for them. Of a node whose kubelet does not answer, or whose server is gone or off, pods
 * that are being deleted are not waited for: nobody there takes them down, and what becomes of the server does.
 */
export async function drainNode(scope: MachineScope, order: DrainOrder): Promise<DrainWait | undefined> {
  const { node, tenant } = scope;
  const { startTime, goal, isRenewal } = order;
  if (scope.isNodeKnown && node === undefined) {
    forgetDrain(scope);
    return undefined;
  }
  const leftMs = drainTimeLeftMs(scope, startTime);
  const isHeld = leftMs <= 0 && isRenewal && mayBeHeld(scope);
  if (isForced(scope.machine, startTime) || (leftMs <= 0 && !isHeld)) {
    forgetDrain(scope);
    return undefined;
  }
  const retryAfterMs = isHeld ? HELD_INTERVAL_MS : DRAIN_INTERVAL_MS;
  if (node === undefined || tenant === undefined) {
    const message = 'the API server of the cluster is not connected yet';
    return { ...(toldOfPods(scope) ?? { reason: ConditionReason.Draining, message }), retryAfterMs };
  }
  try {
    const state = await clearNode(scope, node, tenant, startTime);
    if (state.remaining.length === 0 && (state.detaching.length === 0 || isHeld)) {
      forgetDrain(scope);
      return undefined;
    }
    if (isHeld) {
      const sinceMs = scope.now() + leftMs;
      return { ...(await ofTenant(heldProblem(scope, tenant.client, state, sinceMs))), retryAfterMs };
    }
    const left = `${goal} at ${formatTime(scope.now() + leftMs)} at the latest`;
    return await waitOf(scope, tenant, state, { left, leftMs });
  } catch (error) {
    const problem = tenantProblemOf(error);
    if (problem === undefined) throw error;
    return { ...problem, message: `${problem.message}; trying again`, retryAfterMs };
  }
}

/** Whether the cloud says that nothing runs there, which it knows before the node's lease is over. */
function isServerDown({ status }: Machine): boolean {
  // Only a server that is known to be gone has an id and no state; one that is too young for a list has no node.
  return status?.serverID !== undefined && (status.serverStatus ?? 'SHUTOFF') === 'SHUTOFF';
}

async function clearNode(
  scope: MachineScope,
  node: TenantNode,
  { client }: TenantCluster,
  startTime: string | undefined,
): Promise<DrainState> {
  if (!node.spec?.unschedulable) await setCordon(scope, true);
  const waitsForLeaving = nodeReadyCondition(node)?.status !== 'Unknown' && !isServerDown(scope.machine);
  const { uid: machineUid, signal } = scope;
  const nodeName = node.metadata.name ?? '';
  if (isWithoutNodes(scope.cluster))
    return ofTenant(deletePods(client, nodeName, { startTime, waitsForLeaving, signal }));
  const nowMs = scope.now();
  const question = { machineUid, nodeName, client, nowMs, signal };
  const volumes = (onNode: readonly DrainedPod[]) => scope.dependencies.volumes.of(question, onNode);
  return ofTenant(evictPods(client, nodeName, { startTime, waitsForLeaving, volumes, nowMs, signal }));
}

/** What a drain waits for whose time is not over. Rejects with the tenant's error. */
async function waitOf(
  scope: MachineScope,
  { client }: TenantCluster,
  { remaining, blocked, detaching }: DrainState,
  { left, leftMs }: { readonly left: string; readonly leftMs: number },
): Promise<DrainWait> {
  const reason = ConditionReason.Draining;
  const stuck = scope.dependencies.blockedPods.stuck(scope.uid, blocked, {
    wasTold: toldOfPods(scope)?.reason === PodDisruptionBudget,
    nowMs: scope.now(),
  });
  if (stuck.length > 0) {
    const keepers = await ofTenant(keepersOf(client, stuck, scope.signal));
    const problem = { reason: keepers.isAddon ? reason : PodDisruptionBudget, message: describeKeepers(keepers) };
    const isAll = stuck.length === remaining.length;
    const retryAfterMs = Math.min(isAll ? BLOCKED_INTERVAL_MS : DRAIN_INTERVAL_MS, leftMs);
    return { ...problem, message: `${problem.message}; ${left}`, retryAfterMs };
  }
  const isDetaching = detaching.length > 0 && blocked.length === 0;
  const what = isDetaching
    ? `volume ${detaching[0]} is still to be detached from the node`
    : `${counted(remaining.length, 'pod')} still to leave the node`;
  return { reason, message: `${what}; ${left}`, retryAfterMs: DRAIN_INTERVAL_MS };
}

/** What the Machine says of pods that keep its node; it holds until the tenant's API says otherwise. */
function toldOfPods({ machine }: MachineScope): Problem | undefined {
  const ready = findCondition(machine.status?.conditions, ConditionType.Ready);
  if (ready?.reason === PodDisruptionBudget) return { reason: PodDisruptionBudget, message: ready.message };
  if (ready?.reason === DrainHeld) return { reason: DrainHeld, message: ready.message };
  return undefined;
}

function forgetDrain({ dependencies, uid }: MachineScope): void {
  dependencies.volumes.forget(uid);
  dependencies.blockedPods.forget(uid);
}

/** Cordons or uncordons the node, if it is there. Rejects with the tenant's error. */
export async function setCordon({ node, tenant, signal }: MachineScope, isCordoned: boolean): Promise<void> {
  if (node === undefined || tenant === undefined) return;
  const patch = { type: 'strategic' as const, value: { spec: { unschedulable: isCordoned ? true : null } } };
  await ofTenant(ignoreGone(tenant.client.resource(tenantNodes).patch(node.metadata.name ?? '', patch, { signal })));
}
