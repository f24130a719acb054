import { ConditionReason, type ConditionType } from '@fairway/api/conditions';
import type { ConditionState } from '@fairway/kube/controller/conditions';

/**
 * Why an object is making no progress. The reason implies who must act (`actionRequiredBy`), and the message says how.
 */
export interface Problem {
  readonly reason: ConditionReason;
  readonly message: string;
}

/** A problem that may resolve itself. */
export interface RetryableProblem extends Problem {
  /** When to retry without an event; the work queue's backoff by default. */
  readonly retryAfterMs?: number;
}

/** The condition is True. */
export function conditionMet(type: ConditionType): ConditionState {
  return { type, status: 'True', reason: ConditionReason.AsExpected, message: '' };
}

/** The condition is False, with the reason. */
export function conditionUnmet(type: ConditionType, { reason, message }: Problem): ConditionState {
  return { type, status: 'False', reason, message };
}
