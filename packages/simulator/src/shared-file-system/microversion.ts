import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/api.ts';

/** Minor version of the newest microversion in Zed. */
export const MAX_SHARE_MICROVERSION = 73;

const HEADER = 'X-OpenStack-Manila-API-Version';

/**
 * The minor version x of the microversion 2.x in the headers; 0 if absent. Zed's messages contain placeholders that are
 * not filled in.
 */
export function negotiateShareMicroversion(headers: IncomingHttpHeaders): number {
  const requested = headers[HEADER.toLowerCase()];
  if (typeof requested !== 'string' || requested === '') return 0;
  const match = /^([1-9]\d*)\.([1-9]\d*|0)$/.exec(requested.trim());
  if (match === null) {
    throw new ApiError(
      400,
      'API Version String %(version)s is of invalid format. Must be of format MajorNum.MinorNum.',
    );
  }
  const minor = Number(match[2]);
  if (match[1] === '2' && minor <= MAX_SHARE_MICROVERSION) return minor;
  throw new ApiError(
    406,
    'Version %(req_ver)s is not supported by the API. Minimum is %(min_ver)s and maximum is %(max_ver)s.',
    { headers: { [HEADER]: requested.trim() } },
  );
}

export function shareMicroversionHeaders(microversion: number): Record<string, string> {
  return { [HEADER]: `2.${microversion}`, Vary: HEADER };
}
