import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/api.ts';

/** Minor version of the newest microversion in Zed. */
export const MAX_VOLUME_MICROVERSION = 70;

/** The minor version x of the microversion 3.x in the headers; 0 if absent. */
export function negotiateVolumeMicroversion(headers: IncomingHttpHeaders): number {
  const requested = requestedVersion(String(headers['openstack-api-version'] ?? ''));
  if (requested === undefined) return 0;
  if (requested === 'latest') return MAX_VOLUME_MICROVERSION;
  const match = /^([1-9]\d*)\.([1-9]\d*|0)$/.exec(requested);
  if (match === null) {
    throw new ApiError(
      400,
      `API Version String ${requested} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  }
  const minor = Number(match[2]);
  if (match[1] !== '3' || minor > MAX_VOLUME_MICROVERSION) {
    throw new ApiError(
      406,
      `Version ${requested} is not supported by the API. Minimum is 3.0 and maximum is 3.${MAX_VOLUME_MICROVERSION}.`,
    );
  }
  return minor;
}

function requestedVersion(header: string): string | undefined {
  for (const item of header.split(',')) {
    const [service, version] = item.trim().split(/\s+/);
    if (service?.toLowerCase() === 'volume' && version !== undefined) return version;
  }
  return undefined;
}

export function volumeMicroversionHeaders(microversion: number): Record<string, string> {
  return { 'OpenStack-API-Version': `volume 3.${microversion}`, Vary: 'OpenStack-API-Version' };
}
