const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A point in time in the reader's own zone, with the zone: `26 Nov 2026, 11:05:09 CET`. */
export function fullTime(iso: string, language: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: undefined,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(new Date(iso));
}

/** A time of today in the reader's own zone: `11:05`. */
export function clockTime(atMs: number, language: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', timeZone }).format(atMs);
}

/** The same with seconds: `11:05:09`. */
export function clockSecond(atMs: number, language: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium', timeZone }).format(atMs);
}

/** A point in time of not long ago in the reader's own zone: `26 Nov, 11:05:09`. */
export function shortTime(iso: string, language: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  }).format(new Date(iso));
}

/** A day in the reader's own zone: `26 Nov 2026`. */
export function day(iso: string, language: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, { year: 'numeric', month: 'short', day: 'numeric', timeZone }).format(
    new Date(iso),
  );
}

/** How long ago, or until when: `3 min ago`, `in 2 hr`. */
export function relativeTime(iso: string, nowMs: number, language: string): string {
  const awayMs = Date.parse(iso) - nowMs;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const sizeMs = Math.abs(awayMs);
  if (sizeMs < MINUTE_MS) return format.format(Math.trunc(awayMs / 1000), 'second');
  if (sizeMs < HOUR_MS) return format.format(Math.trunc(awayMs / MINUTE_MS), 'minute');
  if (sizeMs < DAY_MS) return format.format(Math.trunc(awayMs / HOUR_MS), 'hour');
  return format.format(Math.trunc(awayMs / DAY_MS), 'day');
}
