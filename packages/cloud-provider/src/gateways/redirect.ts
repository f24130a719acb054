import { trimmedEnd } from '@fairway/base/trim';
import type { L7Redirect } from '@fairway/openstack/types/l7-policy';
import type { PathMatch } from '../l7/route.ts';
import { isWildcard } from './hostnames.ts';
import type { RedirectFilter } from './schemas.ts';

const CODES: readonly number[] = [301, 302, 303, 307, 308];
const SCHEMES: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
]);
/** HAProxy interpolates percent signs here. */
const PATH = /^\/[A-Za-z0-9._~!&()*+,;=:@/-]*$/;

export interface RedirectAction {
  /** Path match of the requests. */
  readonly host: string;
  readonly path: PathMatch;
  /** The listener's scheme; `port` is the listener's too. */
  readonly scheme: 'http' | 'https';
  readonly port: number;
}

/** The Octavia redirect of a filter, or why it is unsupported. Pure. https://gateway-api.sigs.k8s.io/reference/spec/#httprequestredirectfilter */
export function redirectOf(filter: RedirectFilter, request: RedirectAction): L7Redirect | { problem: string } {
  const { statusCode } = filter;
  if (!CODES.includes(statusCode))
    return { problem: `statusCode ${statusCode} is not supported: use one of ${CODES.join(', ')}` };
  const origin = originOf(filter, request);
  if (typeof origin !== 'string') return origin;
  const code = { redirect_http_code: statusCode };
  const { path } = filter;
  if (path === undefined) return { action: 'REDIRECT_PREFIX', redirect_prefix: origin, ...code };
  if (path.type === 'ReplaceFullPath') {
    const full = path.replaceFullPath ?? '/';
    if (!PATH.test(full)) return invalidPathProblem();
    return { action: 'REDIRECT_TO_URL', redirect_url: `${origin}${full}`, ...code };
  }
  if (path.type !== 'ReplacePrefixMatch') return { problem: `path type "${path.type.slice(0, 40)}" is not supported` };
  const before = redirectPrefix(path.replacePrefixMatch ?? '/', request.path);
  if (typeof before !== 'string') return before;
  return { action: 'REDIRECT_PREFIX', redirect_prefix: `${origin}${before}`, ...code };
}

/**
 * The scheme, host and port of the redirect. Without a scheme, the port defaults to the listener's port; otherwise to
 * the default port of the scheme.
 */
function originOf(filter: RedirectFilter, request: RedirectAction): string | { problem: string } {
  const { scheme = request.scheme, hostname = request.host } = filter;
  const defaultPort = SCHEMES.get(scheme);
  if (defaultPort === undefined) return { problem: `scheme "${scheme.slice(0, 40)}" is neither http nor https` };
  if (hostname === '' || isWildcard(hostname)) {
    return { problem: 'without a hostname it works only for routes without wildcard hostnames' };
  }
  const port = filter.port ?? (filter.scheme === undefined ? request.port : defaultPort);
  return port === defaultPort ? `${scheme}://${hostname}` : `${scheme}://${hostname}:${port}`;
}

/** The prefix to put in front of the request path, which Octavia cannot change. */
function redirectPrefix(replacement: string, { type, value }: PathMatch): string | { problem: string } {
  if (type !== 'Prefix') return { problem: 'ReplacePrefixMatch requires a path match of type PathPrefix' };
  if (!PATH.test(replacement)) return invalidPathProblem();
  const kept = value === '/' ? '' : value;
  const whole = trimmedEnd(replacement, '/');
  if (whole.endsWith(kept)) return whole.slice(0, whole.length - kept.length);
  return { problem: `Octavia cannot rewrite the path of a request: replacePrefixMatch must end with ${value}` };
}

function invalidPathProblem(): { problem: string } {
  return { problem: 'a redirect path must begin with / and may contain letters, digits and ._~!&()*+,;=:@/-' };
}
