/** A longer delay is a mistake by the service, and might outlast the process. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/**
 * The Retry-After header, in seconds or as an HTTP date, converted to milliseconds from now, at most an hour;
 * undefined if it is neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.min(Math.max(0, dateMs - nowMs), MAX_RETRY_AFTER_MS);
}
