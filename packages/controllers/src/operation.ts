import { isDeepStrictEqual } from 'node:util';
import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';

/** An operation as seen in one pass. `since`: when it started to wait for `reason`, if another object records this. */
export type Operation = Pick<LastOperation, 'type' | 'state' | 'progress' | 'description'> &
  Partial<Pick<LastOperation, 'reason' | 'since' | 'steps' | 'estimatedEndTime'>> & {
    /** How long the whole operation takes without waiting for others, if no better estimate is known. */
    readonly expectedSeconds?: number | undefined;
  };

/**
 * `lastOperation`, with the times when it started and when it began to wait; its update time changes only if something
 * else in it changes. Pure.
 */
export function operation(previous: LastOperation | undefined, next: Operation, nowMs: number): LastOperation {
  const now = formatTime(nowMs);
  const { type, state, progress, description, reason, since, steps } = next;
  const isSameOperation = previous?.type === type && (!isOver(previous) || isOver(next));
  const startTime = isSameOperation ? previous.startTime : isOver(next) ? undefined : now;
  const previousSince = isSameOperation && previous.reason === reason ? previous.since : undefined;
  const waitedSeconds = isSameOperation ? totalWaitedSeconds(previous, nowMs) : 0;
  const estimatedEndTime = endOf(next, { startTime, waitedSeconds, nowMs });
  const reported = {
    type,
    state,
    progress,
    description,
    ...(reason !== undefined && { reason, since: since ?? previousSince ?? now }),
    ...(steps && { steps }),
    ...(!isOver(next) && { summary: `${type} ${progress}%` }),
    ...(startTime !== undefined && { startTime }),
    ...(estimatedEndTime !== undefined && { estimatedEndTime }),
  } satisfies Omit<LastOperation, 'lastUpdateTime'>;
  if (previous && isDeepStrictEqual(previous, { ...reported, ...timesOf(previous) })) return previous;
  return { ...reported, ...(waitedSeconds > 0 && { waitedSeconds }), lastUpdateTime: now };
}

/**
 * The state of an operation that is delayed for a reason: either Fairway continues automatically, or someone else must
 * act.
 */
export function heldUpState(reason: string): 'Processing' | 'Error' {
  return actionRequiredBy(reason as ConditionReason) === 'fairway' ? 'Processing' : 'Error';
}

/** Whether the operation has ended. */
export function isOver({ state }: Pick<LastOperation, 'state'>): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

/**
 * Counts steps, of which this many remain. The total is the highest since the operation started, so nodes added or
 * removed in the meantime do not reduce progress. Pure.
 */
export function stepsWith(
  last: LastOperation | undefined,
  type: LastOperation['type'],
  { left, total = left }: { readonly left: number; readonly total?: number },
): NonNullable<LastOperation['steps']> {
  const before = last?.type === type && !isOver(last) ? (last.steps?.total ?? 0) : 0;
  const all = Math.max(before, total, left);
  return { done: all - left, total: all };
}

/** Progress in percent of an operation that has not ended. */
export function percentDone({ done, total }: NonNullable<LastOperation['steps']>): number {
  return Math.min(Math.floor((done / Math.max(total, 1)) * 100), 99);
}

/**
 * How long an operation that has just succeeded took, excluding its waits; undefined if none has succeeded, or its
 * start was not observed. Pure.
 */
export function elapsedSeconds(
  before: LastOperation | undefined,
  now: LastOperation,
  nowMs: number,
): number | undefined {
  if (before === undefined || isOver(before) || now.state !== 'Succeeded') return undefined;
  if (before.type !== now.type || now.startTime === undefined) return undefined;
  return workedSeconds(now, nowMs);
}

/** How long the operation has been in progress excluding its waits, at least a second. */
export function workedSeconds({ startTime = '', waitedSeconds = 0 }: LastOperation, nowMs: number): number {
  return Math.max(Math.round((nowMs - Date.parse(startTime)) / 1000) - waitedSeconds, 1);
}

function timesOf({ waitedSeconds, lastUpdateTime }: LastOperation): Partial<LastOperation> {
  return { ...(waitedSeconds !== undefined && { waitedSeconds }), lastUpdateTime };
}

/** The time spent waiting so far, including the time since the last update if the operation was waiting then. */
function totalWaitedSeconds({ state, waitedSeconds = 0, lastUpdateTime }: LastOperation, nowMs: number): number {
  if (state !== 'Pending' && state !== 'Error') return waitedSeconds;
  return waitedSeconds + Math.max(Math.round((nowMs - Date.parse(lastUpdateTime)) / 1000), 0);
}

/**
 * The estimated end; undefined without an estimate: it is unknown how long others take, and an overdue operation no
 * longer follows the last duration.
 */
function endOf(
  { state, estimatedEndTime, expectedSeconds }: Operation,
  {
    startTime,
    waitedSeconds,
    nowMs,
  }: { readonly startTime: string | undefined; readonly waitedSeconds: number; readonly nowMs: number },
): string | undefined {
  if (state !== 'Processing') return undefined;
  if (estimatedEndTime !== undefined)
    return Date.parse(estimatedEndTime) >= Date.parse(formatTime(nowMs)) ? estimatedEndTime : undefined;
  if (startTime === undefined || expectedSeconds === undefined) return undefined;
  const endMs = Date.parse(startTime) + (waitedSeconds + expectedSeconds) * 1000;
  return endMs > nowMs ? formatTime(endMs) : undefined;
}
