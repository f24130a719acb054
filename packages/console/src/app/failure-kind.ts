import type { Failure } from '../api/failure.ts';

/** What a failure means to the user. */
export type FailureKind = 'away' | 'signedOut' | 'forbidden' | 'missing' | 'busy' | 'fault' | 'other';

/** Proxies respond with 502 to 504, and so does a server that is being replaced. */
const UNAVAILABLE_CODES: readonly number[] = [0, 502, 503, 504];

export function failureKind({ code }: Pick<Failure, 'code'>): FailureKind {
  if (UNAVAILABLE_CODES.includes(code)) return 'away';
  if (code >= 500) return 'fault';
  return ({ 401: 'signedOut', 403: 'forbidden', 404: 'missing', 429: 'busy' } as const)[code] ?? 'other';
}
