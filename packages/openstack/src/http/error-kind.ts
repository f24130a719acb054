import type { ErrorMessage } from './error-body.ts';
import type { OpenStackErrorKind } from './openstack-error.ts';
import type { HttpMethod } from './transport.ts';

/**
 * Every service reports an exceeded quota differently: Nova 403 `Quota exceeded for cores: Requested 8, but already used…`,
 * Neutron 409 `OverQuota`, Nova for a Neutron port 403 `Maximum number of ports exceeded`, Cinder, Manila and Glance 413,
 * Barbican 403 `…because a quota has been reached`.
 */
const QUOTA =
  /^quota exceeded|quota has been (?:met|reached)|maximum number of .{0,200} exceeded|exceeded for quota|exceeds? .{0,200}\bquota\b|larger than maximum allowed limit/i;

/** https://opendev.org/openstack/neutron-lib/src/branch/master/neutron_lib/exceptions: no address, no network. */
const CAPACITY_TYPES: ReadonlySet<string> = new Set([
  'IpAddressGenerationFailure',
  'IpAddressGenerationFailureAllSubnets',
  'IpAddressGenerationFailureNoMatchingSubnet',
  'ExternalIpAddressExhausted',
  'NoNetworkAvailable',
]);

const CAPACITY = /no valid host was found|no more ip addresses available|unable to find any ip address on external/i;

/** Neutron's 400 for a repeated call. */
const EXISTS = /router already has a port on subnet/i;

/** Classifies a status and its message. */
export function errorKind(status: number, error: ErrorMessage, retryAfterMs: number | undefined): OpenStackErrorKind {
  if (isQuotaExceeded(status, error)) return 'quotaExceeded';
  if (status >= 400 && (CAPACITY_TYPES.has(error.type ?? '') || CAPACITY.test(error.message))) return 'outOfCapacity';
  if (EXISTS.test(error.message)) return 'conflict';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'notFound';
    case 408:
      return 'timeout';
    case 409:
    case 412:
      return 'conflict';
    case 413:
      // Old Nova's rate limit, and Swift's.
      return retryAfterMs === undefined ? 'badRequest' : 'rateLimited';
    case 429:
      return 'rateLimited';
    default:
      return status >= 400 && status < 500 ? 'badRequest' : 'unavailable';
  }
}

function isQuotaExceeded(status: number, error: ErrorMessage): boolean {
  if (error.type === 'OverQuota') return true;
  return (status === 403 || status === 409 || status === 413) && QUOTA.test(error.message);
}

/**
 * Whether a write that got this response is known not to have happened. That is true for a 4xx, which is a rejection,
 * for a 503 with Retry-After (a proxy or service at its limit) and, by definition, for a 501. Any other 5xx may be sent
 * after the work was done.
 */
export function outcomeOf(method: HttpMethod, status: number, retryAfterMs: number | undefined): 'notDone' | 'unknown' {
  if (method === 'GET') return 'notDone';
  if (status === 408) return 'unknown';
  if ((status >= 400 && status < 500) || status === 501) return 'notDone';
  return status === 503 && retryAfterMs !== undefined ? 'notDone' : 'unknown';
}
