import type { IncomingHttpHeaders } from 'node:http';
import { appendValue, withoutHopByHop } from '../server/hop-by-hop.ts';

/** Each hop sets these itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'host']);
/** The client's identity, which only this server may set. Some servers treat underscores in header names as dashes. */
const IDENTITY_HEADERS = /^(?:authorization|cookie|impersonate-.*|x-remote-.*)$/;

const SUBPROTOCOL_HEADER = 'sec-websocket-protocol';
/** Subprotocol in which browsers pass their token when they open a WebSocket, because they can't set headers. */
const TOKEN_PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** The request headers to forward. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { auditId, peer, via }: { readonly auditId: string; readonly peer: string | undefined; readonly via: string },
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of withoutHopByHop(headers)) {
    if (value === undefined || OWN_HEADERS.has(name)) continue;
    if (!IDENTITY_HEADERS.test(name.replaceAll('_', '-'))) kept[name] = value;
  }
  const protocols =
    kept[SUBPROTOCOL_HEADER]?.split(',').filter((one) => !one.trim().startsWith(TOKEN_PROTOCOL_PREFIX)) ?? [];
  delete kept[SUBPROTOCOL_HEADER];
  if (protocols.length > 0) kept[SUBPROTOCOL_HEADER] = protocols.join(',').trim();
  kept['audit-id'] = auditId;
  kept['via'] = appendValue(headers['via'], `1.1 ${via}`);
  if (peer !== undefined) kept['x-forwarded-for'] = appendValue(headers['x-forwarded-for'], peer);
  return kept;
}

/** The other server must not set cookies for this origin. */
const DROPPED_RESPONSE_HEADERS: ReadonlySet<string> = new Set(['audit-id', 'host', 'set-cookie']);

/** The response headers to forward. */
export function responseHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of withoutHopByHop(headers)) {
    if (value === undefined || DROPPED_RESPONSE_HEADERS.has(name)) continue;
    kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}
