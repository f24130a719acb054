import type { OpenStackError } from './openstack-error.ts';

export interface RetryPolicy {
  /** Including the first. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 4, baseDelayMs: 200, maxDelayMs: 10_000 };

/** Failures on the cloud's side, as opposed to rejections of the request. */
const TRANSIENT_STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 408, 500, 502, 503, 504]);

/**
 * Whether a retry is safe: the call is idempotent, or is known not to have taken effect. A write with an unknown
 * outcome is never retried here; its caller must check first.
 */
export function isSafeToRetry(error: OpenStackError, idempotent: boolean): boolean {
  switch (error.kind) {
    case 'rateLimited':
      return true;
    case 'unavailable':
    case 'timeout':
    case 'network':
      return TRANSIENT_STATUSES.has(error.status) && (idempotent || error.outcome === 'notDone');
    case 'badRequest':
    case 'conflict':
    case 'forbidden':
    case 'notFound':
    case 'outOfCapacity':
    case 'quotaExceeded':
    case 'unauthorized':
      return false;
  }
}

/**
 * Milliseconds before the attempt after `attempt` (from 1): exponential backoff with full jitter, at
 * least Retry-After. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelayMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const jitterMs = random * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return (retryAfterMs ?? 0) + jitterMs;
}
