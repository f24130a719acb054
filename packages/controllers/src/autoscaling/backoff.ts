import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';

/** cluster-autoscaler's --initial-node-group-backoff-duration, --max-… and …-reset-timeout. */
const INITIAL_BACKOFF_MS = 5 * 60_000;
const MAX_BACKOFF_MS = 30 * 60_000;
const BACKOFF_RESET_MS = 3 * 3_600_000;

type Backoff = NonNullable<AutoscalingStatus['backoff']>;

/** Whether scale-ups of the pool are suspended. */
export function isBackingOff(backoff: Backoff | undefined, nowMs: number): boolean {
  return backoff !== undefined && nowMs < Date.parse(backoff.until);
}

/** Observations about a pool's new nodes. */
export interface Attempt {
  /** Why some of the nodes cannot be created. */
  readonly failure: Problem | undefined;
  /** Whether nodes were added after the last failure, and all of them became ready. */
  readonly hasSucceeded: boolean;
}

/**
 * The backoff after observing a pool's new nodes. It grows with each failure, and is reset when the nodes of a later
 * attempt become ready, or some hours after the last failure. Failures that occur during the backoff belong to the same
 * attempt.
 */
export function nextBackoff(
  backoff: Backoff | undefined,
  { failure, hasSucceeded }: Attempt,
  nowMs: number,
): Backoff | undefined {
  const isWaiting = isBackingOff(backoff, nowMs);
  if (failure === undefined) {
    const isOver = backoff !== undefined && nowMs - Date.parse(backoff.since) >= BACKOFF_RESET_MS;
    return isOver || (hasSucceeded && !isWaiting) ? undefined : backoff;
  }
  if (isWaiting) return backoff;
  const failures = (backoff?.failures ?? 0) + 1;
  const waitMs = Math.min(INITIAL_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
  return {
    reason: failure.reason,
    message: failure.message.slice(0, 1024),
    since: formatTime(nowMs),
    until: formatTime(nowMs + waitMs),
    failures,
  };
}
