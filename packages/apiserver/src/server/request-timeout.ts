/** Upstream's `--request-timeout`. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Time limit for a write request: its `timeout`, at most a minute. */
export function requestTimeoutMs(query: URLSearchParams): number {
  return Math.min(durationMs(query.get('timeout')) ?? REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS);
}

/** A Go duration of whole units, as clients send `timeout`: `34s`, `1m0s`. */
function durationMs(text: string | null): number | undefined {
  const match = text === null || text === '' ? null : /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (match === null) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 || undefined;
}
