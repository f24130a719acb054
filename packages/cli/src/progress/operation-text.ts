import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';
import { localTime } from '../output/local-time.ts';

/**
 * Describes an operation: what it does or is waiting for, when the wait began, and when the operation is expected to
 * end: `the nodes …; done about 2026-01-01 00:20 UTC`.
 */
export function operationText({ state, description, reason, since, estimatedEndTime }: LastOperation): string {
  const isWaiting = state !== 'Succeeded' && reason !== undefined && isWaitingForOthers(reason);
  const waits = isWaiting && since !== undefined ? `; since ${localTime(since)}` : '';
  const ends = estimatedEndTime === undefined ? '' : `; done about ${localTime(estimatedEndTime)}`;
  return `${description}${waits}${ends}`;
}

/**
 * Whether somebody other than Fairway must act or is being waited for. A newer server may have reasons that this client
 * does not recognise.
 */
function isWaitingForOthers(reason: string): boolean {
  const turn: string | undefined = actionRequiredBy(reason as ConditionReason);
  return turn !== 'fairway';
}
