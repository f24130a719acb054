import { usageError } from '@fairway/service/command-error';

const TIME_FORMAT = /^\d{4}-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?)?$/;

/**
 * Parses a month, day or time of `--from` and `--to`. Without a time zone, it is in UTC, as usage periods are. Throws a
 * usage CommandError.
 */
export function usageTimeMs(option: string, text: string): number {
  const ms = TIME_FORMAT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  const advice = 'use a month (2026-11), a day (2026-11-01) or a time with its zone (2026-11-01T12:00:00Z)';
  throw usageError(`${option}: "${text}" is not a time`, advice);
}

/** The start of the UTC month that contains a time. */
export function startOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
