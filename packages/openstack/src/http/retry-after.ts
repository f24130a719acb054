/** A longer delay is a mistake of the service and might never end while the process runs. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/**
 * The header Retry-After, in seconds or as an HTTP date, converted to milliseconds from now, an hour at most; undefined if it is
 * neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.min(Math.max(0, dateMs - nowMs), MAX_RETRY_AFTER_MS);
}
