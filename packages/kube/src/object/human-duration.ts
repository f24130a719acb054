const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** A length of time as kubectl prints ages (apimachinery's `duration.HumanDuration`): two or three significant digits. */
export function humanDuration(durationMs: number): string {
  if (durationMs < -2 * SECOND_MS) return '<invalid>';
  const seconds = Math.max(0, Math.floor(durationMs / SECOND_MS));
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.floor(durationMs / MINUTE_MS);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.floor(durationMs / HOUR_MS);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(durationMs / DAY_MS);
  if (hours < 24 * 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(durationMs / YEAR_MS);
  return days < 365 * 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

/** The age of something that happened at an RFC 3339 time, as kubectl prints it; `<unknown>` where there is no such time. */
export function humanAge(time: string | undefined, nowMs: number): string {
  const sinceMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(sinceMs) ? '<unknown>' : humanDuration(nowMs - sinceMs);
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}
