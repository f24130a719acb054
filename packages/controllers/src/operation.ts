import { isDeepStrictEqual } from 'node:util';
import { type ConditionReason, turnOf } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';

/** An operation as one pass sees it. `since` where somebody else knows since when it waits for `reason`. */
export type Operation = Pick<LastOperation, 'type' | 'state' | 'progress' | 'description'> &
  Partial<Pick<LastOperation, 'reason' | 'since' | 'steps' | 'estimatedEndTime'>> & {
    /** How long all of it takes without waiting for others, where no better estimate is known. */
    readonly expectedSeconds?: number | undefined;
  };

/** `lastOperation`, with when it began, since when it waits, and its time moved only when something else of it changed. Pure. */
export function operation(previous: LastOperation | undefined, next: Operation, nowMs: number): LastOperation {
  const now = formatTime(nowMs);
  const { type, state, progress, description, reason, since, steps } = next;
  const isSameOne = previous?.type === type && (!isOver(previous) || isOver(next));
  const startTime = isSameOne ? previous.startTime : isOver(next) ? undefined : now;
  const sinceBefore = isSameOne && previous.reason === reason ? previous.since : undefined;
  const waitedSeconds = isSameOne ? waitedBy(previous, nowMs) : 0;
  const estimatedEndTime = endOf(next, { startTime, waitedSeconds, nowMs });
  const told = {
    type,
    state,
    progress,
    description,
    ...(reason !== undefined && { reason, since: since ?? sinceBefore ?? now }),
    ...(steps && { steps }),
    ...(!isOver(next) && { summary: `${type} ${progress}%` }),
    ...(startTime !== undefined && { startTime }),
    ...(estimatedEndTime !== undefined && { estimatedEndTime }),
  } satisfies Omit<LastOperation, 'lastUpdateTime'>;
  if (previous && isDeepStrictEqual(previous, { ...told, ...timesOf(previous) })) return previous;
  return { ...told, ...(waitedSeconds > 0 && { waitedSeconds }), lastUpdateTime: now };
}

/** The state of an operation that is held up for a reason: Fairway goes on by itself, or somebody else has to do something. */
export function heldUpState(reason: string): 'Processing' | 'Error' {
  return turnOf(reason as ConditionReason) === 'fairway' ? 'Processing' : 'Error';
}

/** Whether nothing more is done for it. */
export function isOver({ state }: Pick<LastOperation, 'state'>): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

/** Steps of which so many are left. There are as many in all as there ever were since it began: nodes that come and go meanwhile don't turn it back. Pure. */
export function stepsWith(
  last: LastOperation | undefined,
  type: LastOperation['type'],
  { left, total = left }: { readonly left: number; readonly total?: number },
): NonNullable<LastOperation['steps']> {
  const before = last?.type === type && !isOver(last) ? (last.steps?.total ?? 0) : 0;
  const all = Math.max(before, total, left);
  return { done: all - left, total: all };
}

/** Percent of an operation that is not over yet. */
export function percentOf({ done, total }: NonNullable<LastOperation['steps']>): number {
  return Math.min(Math.floor((done / Math.max(total, 1)) * 100), 99);
}

/** How long an operation took that has just succeeded, without its waits; undefined: none has, or nobody saw it begin. Pure. */
export function secondsTaken(before: LastOperation | undefined, now: LastOperation, nowMs: number): number | undefined {
  if (before === undefined || isOver(before) || now.state !== 'Succeeded') return undefined;
  if (before.type !== now.type || now.startTime === undefined) return undefined;
  return secondsWorked(now, nowMs);
}

/** How long it has been worked at so far, at least a second. */
export function secondsWorked({ startTime = '', waitedSeconds = 0 }: LastOperation, nowMs: number): number {
  return Math.max(Math.round((nowMs - Date.parse(startTime)) / 1000) - waitedSeconds, 1);
}

function timesOf({ waitedSeconds, lastUpdateTime }: LastOperation): Partial<LastOperation> {
  return { ...(waitedSeconds !== undefined && { waitedSeconds }), lastUpdateTime };
}

/** The state is the same from one update to the next. */
function waitedBy({ state, waitedSeconds = 0, lastUpdateTime }: LastOperation, nowMs: number): number {
  if (state !== 'Pending' && state !== 'Error') return waitedSeconds;
  return waitedSeconds + Math.max(Math.round((nowMs - Date.parse(lastUpdateTime)) / 1000), 0);
}

/** Nobody can tell how long others take, nor, from the last time, how late it will be once it is late. */
function endOf(
  { state, estimatedEndTime, expectedSeconds }: Operation,
  {
    startTime,
    waitedSeconds,
    nowMs,
  }: { readonly startTime: string | undefined; readonly waitedSeconds: number; readonly nowMs: number },
): string | undefined {
  if (state !== 'Processing') return undefined;
  if (estimatedEndTime !== undefined) return estimatedEndTime;
  if (startTime === undefined || expectedSeconds === undefined) return undefined;
  const endMs = Date.parse(startTime) + (waitedSeconds + expectedSeconds) * 1000;
  return endMs > nowMs ? formatTime(endMs) : undefined;
}
