import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { RetryableProblem } from '../problem.ts';
import { describeError } from './describe-error.ts';
import { ForeignProjectError } from './foreign-project-error.ts';
import { knownRefusal } from './known-refusals.ts';
import { StillSettlingError } from './still-settling-error.ts';

/** Interval at which Fairway checks whether the operator has fixed the problem. */
const MAX_RETRY_MS = 60_000;

/**
 * Maps an error from the cloud to the cluster's condition; undefined for any other error. The message is stable while
 * the cause is the same; request IDs and durations belong in logs.
 */
export function cloudProblemOf(error: unknown, nowMs: number): RetryableProblem | undefined {
  if (error instanceof StillSettlingError) {
    const retryAfterMs = Math.max(error.untilMs - nowMs, 0) + 1;
    return { reason: 'Provisioning', message: error.message, retryAfterMs };
  }
  if (error instanceof ForeignProjectError) {
    return { reason: 'ConfigurationInvalid', message: error.message, retryAfterMs: MAX_RETRY_MS };
  }
  if (!isOpenStackError(error)) return undefined;
  const known = knownRefusal(error);
  if (known) return { ...known, ...retryAfter(error) };
  const message = `${error.service}: ${describeError(error)}`;
  switch (error.kind) {
    case 'quotaExceeded':
      return {
        reason: 'QuotaExceeded',
        message: `${message}; free resources or request a larger quota; Fairway then continues automatically`,
        ...retryAfter(error),
      };
    case 'unauthorized':
      return {
        reason: 'CredentialInvalid',
        message: `${message}; the credential of this project is wrong, expired or revoked: renew it`,
        ...retryAfter(error),
      };
    case 'forbidden':
      return {
        reason: 'PermissionDenied',
        message: `${message}; Fairway's credential requires the role member in the project`,
        ...retryAfter(error),
      };
    case 'outOfCapacity':
      return { reason: 'FlavorOutOfStock', message, ...retryAfter(error) };
    case 'rateLimited':
      return { reason: 'RateLimited', message, ...retryAfter(error) };
    case 'conflict':
      return {
        reason: 'ResourceInUse',
        message: `${message.replace(/\.$/, '')}; delete or detach the resources that use it; Fairway then continues automatically`,
        ...retryAfter(error),
      };
    case 'badRequest':
    case 'notFound':
      return { reason: 'ConfigurationInvalid', message, ...retryAfter(error) };
    case 'unavailable':
    case 'timeout':
    case 'network':
      return { reason: 'CloudUnavailable', message, ...retryAfter(error) };
  }
}

function retryAfter({ retryAfterMs }: OpenStackError): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
