/** Hop-by-hop headers (RFC 9110 7.6.1). */
const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The end-to-end headers of a message, with lower-case names (RFC 9110 7.6.1). */
export function withoutHopByHop<T>(
  headers: { readonly [name: string]: T } & { readonly connection?: string | undefined },
) {
  const named = connectionOptions(headers.connection);
  return Object.entries<T>(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name) && !named.includes(name));
}

/** The names in a `Connection` header, in lower case. */
export function connectionOptions(connection = ''): string[] {
  return connection.split(',').map((name) => name.trim().toLowerCase());
}

/** Appends a value to a header that each hop extends. */
export function appendValue(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier}, ${value}`;
}
