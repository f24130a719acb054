/** One `299 - "text"` in a header that may have several. */
const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/** The texts of a header `Warning` (RFC 7234), whose characters are bytes of UTF-8, as Node reads headers. Empty without the header. */
export function parseWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return Array.from(text.matchAll(WARNING), ([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
}
