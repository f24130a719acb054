import { requestTimeMs } from '@fairway/api/domain/request';

/** Beyond it no time can be written. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The time that asks for something once more. What was asked for before, be it done or still to be done, may come from a machine whose clock is ahead: an
 * earlier time would ask for nothing. Words have no time.
 */
export function requestTimeAfter(before: readonly (string | undefined)[], nowMs: number): string {
  const times = before.flatMap((each) => {
    const ms = each === undefined ? undefined : requestTimeMs(each);
    return ms === undefined ? [] : [ms + 1];
  });
  return new Date(Math.min(Math.max(nowMs, ...times), LATEST_MS)).toISOString();
}
