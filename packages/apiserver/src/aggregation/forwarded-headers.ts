import type { IncomingHttpHeaders } from 'node:http';
import { appended, withoutHops } from '../server/hop-by-hop.ts';

/** Each hop sets these itself. */
const OWN: ReadonlySet<string> = new Set(['content-length', 'host']);
/** The client's identity, which only this server may set. Some servers treat underscores as dashes. */
const IDENTITY = /^(?:authorization|cookie|impersonate-.*|x-remote-.*)$/;

const SUBPROTOCOLS = 'sec-websocket-protocol';
/** Subprotocol in which browsers, which can't set headers, pass their token when they open a WebSocket. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Headers of a request to forward. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { auditId, peer, via }: { readonly auditId: string; readonly peer: string | undefined; readonly via: string },
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of withoutHops(headers)) {
    if (value === undefined || OWN.has(name)) continue;
    if (!IDENTITY.test(name.replaceAll('_', '-'))) kept[name] = value;
  }
  const protocols = kept[SUBPROTOCOLS]?.split(',').filter((one) => !one.trim().startsWith(TOKEN_PROTOCOL)) ?? [];
  delete kept[SUBPROTOCOLS];
  if (protocols.length > 0) kept[SUBPROTOCOLS] = protocols.join(',').trim();
  kept['audit-id'] = auditId;
  kept['via'] = appended(headers['via'], `1.1 ${via}`);
  if (peer !== undefined) kept['x-forwarded-for'] = appended(headers['x-forwarded-for'], peer);
  return kept;
}

/** The other server must not set cookies for this origin. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['audit-id', 'host', 'set-cookie']);

/** Headers of a response to forward. */
export function answeredHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of withoutHops(headers)) {
    if (value === undefined || NOT_ANSWERED.has(name)) continue;
    kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}
