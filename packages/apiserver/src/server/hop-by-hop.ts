/** Hop-by-hop headers (RFC 9110 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
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

/** The end-to-end headers of a message, by names in lower case (RFC 9110 7.6.1). */
export function withoutHops<T>(headers: { readonly [name: string]: T } & { readonly connection?: string | undefined }) {
  const named = connectionOptions(headers.connection);
  return Object.entries<T>(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name));
}

/** The names in a `Connection` header, in lower case. */
export function connectionOptions(connection = ''): string[] {
  return connection.split(',').map((name) => name.trim().toLowerCase());
}

/** A header that each hop adds to. */
export function appended(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier}, ${value}`;
}
