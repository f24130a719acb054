/** One `299 - "text"` entry of a header that may have several. */
const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/**
 * The texts of a `Warning` header (RFC 7234). Node reads headers as one character per byte; the text is UTF-8.
 * Empty if the header is absent.
 */
export function parseWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return Array.from(text.matchAll(WARNING), ([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
}
