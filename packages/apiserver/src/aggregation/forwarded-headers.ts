import type { IncomingHttpHeaders } from 'node:http';

/** Hop-by-hop headers (RFC 9110 7.6.1), and `host` and the framing of the body, which each sender sets itself. */
const HOPS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Who the client is, which this server alone says. Underscores are dashes to some. */
const IDENTITY = /^(?:authorization|cookie|impersonate-.*|x-remote-.*)$/;

/** Headers of a request to pass on. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { auditId, peer, via }: { readonly auditId: string; readonly peer: string | undefined; readonly via: string },
): Record<string, string> {
  const hops = connectionOptions(headers['connection']);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOPS.has(name) || hops.includes(name)) continue;
    if (!IDENTITY.test(name.replaceAll('_', '-'))) kept[name] = value;
  }
  kept['audit-id'] = auditId;
  kept['via'] = joined(headers['via'], `1.1 ${via}`);
  if (peer !== undefined) kept['x-forwarded-for'] = joined(headers['x-forwarded-for'], peer);
  return kept;
}

/** Not the other server's to say: cookies are nobody's here. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['audit-id', 'set-cookie']);

/** Headers of an answer to pass on. */
export function answeredHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const hops = connectionOptions(headers.connection);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isFraming = name === 'content-length';
    if (value === undefined || NOT_ANSWERED.has(name) || (HOPS.has(name) && !isFraming) || hops.includes(name))
      continue;
    kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

function connectionOptions(connection = ''): string[] {
  return connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim());
}

function joined(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier}, ${value}`;
}
