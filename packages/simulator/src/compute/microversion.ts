import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/api.ts';

/** Minor version of the newest microversion in Zed. */
export const MAX_MICROVERSION = 93;

/**
 * The minor version of the microversion in the headers; 1 if absent. `newest` is the newest supported minor version.
 */
export function negotiateMicroversion(headers: IncomingHttpHeaders, newest: number): number {
  const requested = requestedVersion(headers);
  if (requested === undefined) return 1;
  if (requested === 'latest') return newest;
  const match = /^([1-9]\d*)\.([1-9]\d*|0)$/.exec(requested);
  if (match === null) {
    throw new ApiError(
      400,
      `API Version String ${requested} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  }
  const minor = Number(match[2]);
  if (match[1] !== '2' || minor < 1 || minor > newest) {
    throw new ApiError(
      406,
      `Version ${requested} is not supported by the API. Minimum is 2.1 and maximum is 2.${newest}.`,
    );
  }
  return minor;
}

function requestedVersion(headers: IncomingHttpHeaders): string | undefined {
  const apiVersionHeader = String(headers['openstack-api-version'] ?? '');
  for (const item of apiVersionHeader.split(',')) {
    const [service, version] = item.trim().split(/\s+/);
    if (service?.toLowerCase() === 'compute' && version !== undefined) return version;
  }
  const legacyHeader = headers['x-openstack-nova-api-version'];
  return typeof legacyHeader === 'string' ? legacyHeader.trim() : undefined;
}

export function microversionHeaders(microversion: number): Record<string, string> {
  return {
    'OpenStack-API-Version': `compute 2.${microversion}`,
    'X-OpenStack-Nova-API-Version': `2.${microversion}`,
    Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
  };
}
