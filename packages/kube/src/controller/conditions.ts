import { formatTime } from '@fairway/base/clock';
import type { Condition } from '../object/meta.ts';

/** A condition as a reconcile computes it; `setCondition` sets its transition time. */
export type ConditionState = Omit<Condition, 'lastTransitionTime'>;

/**
 * Returns the list with `condition` set. `lastTransitionTime` changes only with the status. If nothing changes, the
 * same list is returned, so callers can compare by identity whether to write. New types are appended.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: ConditionState,
  nowMs: number,
): readonly Condition[] {
  const list = conditions ?? [];
  const old = findCondition(list, condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : formatTime(nowMs);
  if (old && isSameCondition(old, { ...condition, lastTransitionTime })) return list;
  const next = { ...condition, lastTransitionTime };
  return old ? list.map((other) => (other === old ? next : other)) : [...list, next];
}

/**
 * Results of a reconcile by condition type: undefined removes the condition, and an omitted type stays unchanged. A state may specify its observed
 * generation; the default is the reconcile's.
 */
export type ConditionStates = Readonly<Partial<Record<string, Omit<ConditionState, 'type'>>>>;

/** Like `setCondition`, for several conditions with the same generation. */
export function setConditions(
  conditions: readonly Condition[] | undefined,
  states: ConditionStates,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): readonly Condition[] {
  let list = conditions ?? [];
  for (const [type, state] of Object.entries(states)) {
    list = state
      ? setCondition(list, { observedGeneration: generation, ...state, type }, nowMs)
      : removeCondition(list, type);
  }
  return list;
}

/** The list without the condition of this type. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const list = conditions ?? [];
  return findCondition(list, type) ? list.filter((condition) => condition.type !== type) : list;
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Whether the condition is True for this generation of the spec, not for an earlier one. */
export function isConditionTrueOf(
  conditions: readonly Condition[] | undefined,
  type: string,
  generation: number | undefined,
): boolean {
  const condition = findCondition(conditions, type);
  return condition?.status === 'True' && condition.observedGeneration === generation;
}

function isSameCondition(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
