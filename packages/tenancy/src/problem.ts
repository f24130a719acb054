import { ConditionReason, type ConditionType } from '@fairway/api/conditions';
import type { ConditionState } from '@fairway/kube/controller/conditions';

/** Why something gets no further; the reason says whose turn it is (`turnOf`), the message what would help. */
export interface Problem {
  readonly reason: ConditionReason;
  readonly message: string;
}

/** A problem that may be gone by itself after a while. */
export interface RetryableProblem extends Problem {
  /** When to try again although nothing changes; the work queue's backoff decides where it is absent. */
  readonly retryAfterMs?: number;
}

/** The condition that holds. */
export function conditionMet(type: ConditionType): ConditionState {
  return { type, status: 'True', reason: ConditionReason.AsExpected, message: '' };
}

/** The condition that does not hold, and why. */
export function conditionUnmet(type: ConditionType, { reason, message }: Problem): ConditionState {
  return { type, status: 'False', reason, message };
}
