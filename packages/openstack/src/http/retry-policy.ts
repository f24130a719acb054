import type { OpenStackError } from './openstack-error.ts';

export interface RetryPolicy {
  /** Including the first. */
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 4, baseDelayMs: 200, maxDelayMs: 10_000 };

/** Failures of the cloud's side, not answers about the request. */
const TRANSIENT_STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 408, 500, 502, 503, 504]);

/**
 * Whether another attempt can neither double nor hide anything: the call may be repeated (`idempotent`), or it is known
 * not to have been done. A write with an unknown outcome is never repeated here; its caller must look first.
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
 * Milliseconds before the attempt after `attempt` (from 1): exponential with full jitter, never earlier than the
 * service asked for. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
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
