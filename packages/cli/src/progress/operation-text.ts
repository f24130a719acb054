import { type ConditionReason, turnOf } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';

/** What an operation does or waits for, since when, and when it is expected to end: `the nodes …; done about 2026-01-01T00:20:00Z`. */
export function operationText({ state, description, reason, since, estimatedEndTime }: LastOperation): string {
  const isWaiting = state !== 'Succeeded' && reason !== undefined && isOthersTurn(reason);
  const waits = isWaiting && since !== undefined ? `; since ${since}` : '';
  const ends = estimatedEndTime === undefined ? '' : `; done about ${estimatedEndTime}`;
  return `${description}${waits}${ends}`;
}

/** Whether somebody other than Fairway has to act, or has to be waited for. A newer server may have reasons that this client does not know. */
function isOthersTurn(reason: string): boolean {
  const turn: string | undefined = turnOf(reason as ConditionReason);
  return turn !== 'fairway';
}
