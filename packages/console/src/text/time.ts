const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time in the user's time zone, with the zone: `26 Nov 2026, 11:05:09 CET`. */
export function fullTime(iso: string, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
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

/** A time today in the user's time zone: `11:05`. */
export function clockTime(atMs: number, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone }).format(atMs);
}

/** A time today, with seconds: `11:05:09`. */
export function clockSecond(atMs: number, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone }).format(atMs);
}

/** A recent time in the user's time zone: `26 Nov, 11:05:09`. */
export function shortTime(iso: string, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  }).format(new Date(iso));
}

/** A day in the user's time zone: `26 Nov 2026`. */
export function day(iso: string, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric', timeZone }).format(
    new Date(iso),
  );
}

/** A timestamp in RFC 3339. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

const TIMESTAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/** Converts UTC timestamps in a string to the user's time zone. */
export function withLocalTimes(text: string, locale: string, timeZone?: string): string {
  return text.replaceAll(TIMESTAMP, (stamp) =>
    Number.isNaN(Date.parse(stamp)) ? stamp : fullTime(stamp, locale, timeZone),
  );
}

/**
 * Whether a time is meant to be past or future, so that clock skew never makes a past event look future or vice versa.
 */
export type Tense = 'past' | 'future' | 'either';

/** A time relative to now: `3 min ago`, `in 2 hr`. */
export function relativeTime(iso: string, nowMs: number, locale: string, tense: Tense): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const { value, unit } = inLargestUnit(distanceMs(iso, nowMs, tense));
  return format.format(value, unit);
}

/** A duration: `3 min`. */
export function duration(sinceIso: string, nowMs: number, locale: string): string {
  const { value, unit } = inLargestUnit(distanceMs(sinceIso, nowMs, 'past'));
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(Math.abs(value));
}

function distanceMs(iso: string, nowMs: number, tense: Tense): number {
  const ms = Date.parse(iso) - nowMs;
  if (tense === 'past') return Math.min(0, ms);
  return tense === 'future' ? Math.max(0, ms) : ms;
}

function inLargestUnit(ms: number): { readonly value: number; readonly unit: 'second' | 'minute' | 'hour' | 'day' } {
  const unitMs = Math.abs(ms);
  if (unitMs < MINUTE_MS) return { value: Math.trunc(ms / SECOND_MS), unit: 'second' };
  if (unitMs < HOUR_MS) return { value: Math.trunc(ms / MINUTE_MS), unit: 'minute' };
  if (unitMs < DAY_MS) return { value: Math.trunc(ms / HOUR_MS), unit: 'hour' };
  return { value: Math.trunc(ms / DAY_MS), unit: 'day' };
}
