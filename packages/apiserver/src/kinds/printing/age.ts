import { humanDuration } from '../../server/human-duration.ts';

/** The age of something that happened at an RFC 3339 time, as kubectl prints it; `<unknown>` where there is no such time. */
export function humanAge(time: string | undefined, nowMs: number): string {
  const sinceMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(sinceMs) ? '<unknown>' : humanDuration(nowMs - sinceMs);
}
