import { ConditionReason, type ConditionType } from '@fairway/api/conditions';
import type { ConditionState } from '@fairway/kube/controller/conditions';

/** Why an object makes no progress; the reason implies who has to act (`turnOf`), the message says how. */
export interface Problem {
  readonly reason: ConditionReason;
  readonly message: string;
}

/** A problem that may go away by itself. */
export interface RetryableProblem extends Problem {
  /** When to retry without an event; the work queue's backoff by default. */
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
