import { humanDuration } from '../../server/human-duration.ts';

/** The age of an RFC 3339 time in kubectl's format; `<unknown>` if there is no time. */
export function humanAge(time: string | undefined, nowMs: number): string {
  const sinceMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(sinceMs) ? '<unknown>' : humanDuration(nowMs - sinceMs);
}
