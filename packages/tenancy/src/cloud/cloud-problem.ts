import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { RetryableProblem } from '../problem.ts';
import { ForeignProject } from './foreign-project.ts';
import { StillSettling } from './still-settling.ts';

/** How long to wait before asking again for what only the user or the operator can free. */
const SLOW_RETRY_MS = 60_000;

/** What an error of the cloud means for the cluster; undefined for any other error, which is a bug or a broken store. */
export function cloudProblemOf(error: unknown, nowMs: number): RetryableProblem | undefined {
  if (error instanceof StillSettling) {
    const retryAfterMs = Math.max(error.untilMs - nowMs, 0) + 1;
    return { reason: 'Provisioning', message: error.message, retryAfterMs };
  }
  if (error instanceof ForeignProject) {
    return { reason: 'ConfigurationInvalid', message: error.message, retryAfterMs: SLOW_RETRY_MS };
  }
  if (!isOpenStackError(error)) return undefined;
  const message = `${error.service}: ${error.detail}${error.requestId ? ` (${error.requestId})` : ''}`;
  switch (error.kind) {
    case 'quotaExceeded':
      return {
        reason: 'QuotaExceeded',
        message: `${message}; free something or ask for a larger quota, and Fairway goes on by itself`,
        retryAfterMs: SLOW_RETRY_MS,
      };
    case 'unauthorized':
      return {
        reason: 'CredentialInvalid',
        message: `${message}; the credential of this project is wrong, expired or revoked: renew it`,
        retryAfterMs: SLOW_RETRY_MS,
      };
    case 'forbidden':
      return {
        reason: 'PermissionDenied',
        message: `${message}; Fairway's credential needs the role member in the project`,
        retryAfterMs: SLOW_RETRY_MS,
      };
    case 'outOfCapacity':
      return { reason: 'FlavorOutOfStock', message, ...retryAfter(error) };
    case 'rateLimited':
      return { reason: 'RateLimited', message, ...retryAfter(error) };
    case 'conflict':
      return { reason: 'ResourceInUse', message, ...retryAfter(error) };
    case 'badRequest':
    case 'notFound':
      return { reason: 'ConfigurationInvalid', message, retryAfterMs: SLOW_RETRY_MS };
    case 'unavailable':
    case 'timeout':
    case 'network':
      return { reason: 'CloudUnavailable', message, ...retryAfter(error) };
  }
}

function retryAfter({ retryAfterMs }: OpenStackError): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
