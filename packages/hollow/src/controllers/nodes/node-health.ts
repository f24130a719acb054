import { formatTime } from '@fairway/base/clock';
import type { Node, NodeCondition, Taint } from '@fairway/kube/kinds/generated/types';

export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready';
export const UNREACHABLE_TAINT = 'node.kubernetes.io/unreachable';

/** Conditions reported by the node itself: Unknown once it stops reporting. */
const NODE_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Taints with the effect NoSchedule, by condition and status (pkg/controller/nodelifecycle nodeConditionToTaintKeyStatusMap). */
const CONDITION_TAINTS: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY_TAINT],
  ['Ready', 'Unknown', UNREACHABLE_TAINT],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable';
const MANAGED_TAINT_KEYS = new Set([...CONDITION_TAINTS.map(([, , key]) => key), UNSCHEDULABLE_TAINT]);

export type Readiness = 'True' | 'False' | 'Unknown';

export function readinessOf({ status }: Node): Readiness {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return ready === 'True' || ready === 'False' ? ready : 'Unknown';
}

/** The conditions of a node whose grace period has expired; the same list if nothing changes. */
export function unknownConditions(node: Node, nowMs: number): readonly NodeCondition[] {
  const conditions = node.status?.conditions ?? [];
  const now = formatTime(nowMs);
  const known = new Set(conditions.map(({ type }) => type));
  let isChanged = false;
  const silent = conditions.map((condition) => {
    if (!NODE_CONDITIONS.includes(condition.type) || condition.status === 'Unknown') return condition;
    isChanged = true;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  for (const type of NODE_CONDITIONS) {
    if (known.has(type)) continue;
    isChanged = true;
    silent.push({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
      lastTransitionTime: now,
    });
  }
  return isChanged ? silent : conditions;
}

/**
 * The taints that a node should have: its own, those derived from its conditions, and (`mayEvict`) the NoExecute taint.
 * Taints that are already correct keep their timeAdded.
 */
export function desiredTaints(node: Node, mayEvict: boolean, nowMs: number): Taint[] {
  const current = node.spec.taints ?? [];
  const conditions = node.status?.conditions ?? [];
  const desired: Taint[] = CONDITION_TAINTS.filter(([type, status]) =>
    conditions.some((condition) => condition.type === type && condition.status === status),
  ).map(([, , key]) => ({ key, effect: 'NoSchedule' }));
  // A node that has never reported a condition counts as not ready.
  if (!conditions.some(({ type }) => type === 'Ready')) desired.push({ key: NOT_READY_TAINT, effect: 'NoSchedule' });
  if (node.spec.unschedulable) desired.push({ key: UNSCHEDULABLE_TAINT, effect: 'NoSchedule' });
  const evicting = { False: NOT_READY_TAINT, Unknown: UNREACHABLE_TAINT, True: undefined }[readinessOf(node)];
  if (evicting !== undefined && mayEvict) desired.push({ key: evicting, effect: 'NoExecute' });
  const kept = current.filter((taint) => !isManaged(taint) || desired.some((other) => isSame(taint, other)));
  const added = desired
    .filter((taint) => !current.some((other) => isSame(taint, other)))
    .map((taint) => ({ ...taint, timeAdded: formatTime(nowMs) }));
  return [...kept, ...added];
}

function isManaged({ key, effect }: Taint): boolean {
  if (effect === 'NoSchedule') return MANAGED_TAINT_KEYS.has(key);
  return effect === 'NoExecute' && (key === NOT_READY_TAINT || key === UNREACHABLE_TAINT);
}

function isSame(left: Taint, right: Taint): boolean {
  return left.key === right.key && left.effect === right.effect;
}

export function isEvicting({ spec }: Node): boolean {
  return (spec.taints ?? []).some((taint) => taint.effect === 'NoExecute' && isManaged(taint));
}
