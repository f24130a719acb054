import type { IncomingHttpHeaders } from 'node:http';
import { appended, withoutHops } from '../server/hop-by-hop.ts';

/** Each sender says these itself. */
const OWN: ReadonlySet<string> = new Set(['content-length', 'host']);
/** Who the client is, which this server alone says. Underscores are dashes to some. */
const IDENTITY = /^(?:authorization|cookie|impersonate-.*|x-remote-.*)$/;

const SUBPROTOCOLS = 'sec-websocket-protocol';
/** By which a browser, which can set no headers, says its token to kube-apiserver when it opens a WebSocket. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Headers of a request to pass on. */
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

/** Not the other server's to say: cookies are nobody's here. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['audit-id', 'host', 'set-cookie']);

/** Headers of an answer to pass on. */
export function answeredHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of withoutHops(headers)) {
    if (value === undefined || NOT_ANSWERED.has(name)) continue;
    kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}
