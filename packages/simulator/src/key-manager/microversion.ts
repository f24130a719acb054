import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/api.ts';
import { BAD_MICROVERSION } from './problem.ts';

/** Minor version of the newest microversion in Zed. Since 1.1, secrets list their consumers. */
const MAX_KEY_MICROVERSION = 1;

/** The minor version x of the microversion 1.x in the headers; 0 if absent. */
export function negotiateKeyMicroversion(headers: IncomingHttpHeaders): number {
  const requested = requestedVersion(String(headers['openstack-api-version'] ?? ''));
  if (requested === undefined) return 0;
  if (requested === 'latest') return MAX_KEY_MICROVERSION;
  const match = /^(\d+)\.(\d+)$/.exec(requested);
  if (match === null) {
    throw new ApiError(
      400,
      `The server could not comply with the request since it is either malformed or otherwise incorrect.<br /><br />\nInvalid microversion: invalid version string: ${requested}; invalid literal for int() with base 10: '${requested}'\n\n`,
      { type: BAD_MICROVERSION },
    );
  }
  if (match[1] !== '1' || Number(match[2]) > MAX_KEY_MICROVERSION) {
    throw new ApiError(
      406,
      `The resource could not be generated that was acceptable to your browser\n(content of type application/json. <br /><br />\nInvalid microversion: Unacceptable version header: ${requested}`,
      { type: BAD_MICROVERSION },
    );
  }
  return Number(match[2]);
}

function requestedVersion(header: string): string | undefined {
  for (const item of header.split(',')) {
    const [service, version] = item.trim().split(/\s+/);
    if (service?.toLowerCase() === 'key-manager' && version !== undefined) return version;
  }
  return undefined;
}

export function keyMicroversionHeaders(microversion: number): Record<string, string> {
  return { 'OpenStack-API-Version': `key-manager 1.${microversion}`, Vary: 'OpenStack-API-Version' };
}
