import { usageError } from '@fairway/service/command-error';

const FORMS = /^\d{4}-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?)?$/;

/** A month, a day or a time of `--from` and `--to`; without a zone it is UTC, which is what periods are in. Throws a CommandError of usage. */
export function usageTimeMs(option: string, text: string): number {
  const ms = FORMS.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  const advice = 'use a month (2026-11), a day (2026-11-01) or a time with its zone (2026-11-01T12:00:00Z)';
  throw usageError(`${option}: "${text}" is not a time`, advice);
}

/** When the UTC month began that a time is in. */
export function startOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
