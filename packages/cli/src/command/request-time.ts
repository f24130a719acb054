import { requestTimeMs } from '@fairway/api/domain/request';

/** The latest time that can be written. */
const MAX_REQUEST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The time for a new request. Earlier requests, pending or done, may come from a machine whose clock is ahead, and an
 * earlier time would have no effect. Values that aren't times are ignored.
 */
export function requestTimeAfter(before: readonly (string | undefined)[], nowMs: number): string {
  const times = before.flatMap((each) => {
    const ms = each === undefined ? undefined : requestTimeMs(each);
    return ms === undefined ? [] : [ms + 1];
  });
  return new Date(Math.min(Math.max(nowMs, ...times), MAX_REQUEST_TIME_MS)).toISOString();
}
