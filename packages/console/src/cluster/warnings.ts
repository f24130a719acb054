/** One `299 - "text"` entry of a header, which can contain several. */
const WARN_VALUE = /\d{3} \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/** The texts of a `Warning` header (RFC 7234), which browsers decode as Latin-1 even though it is UTF-8. */
export function warningsOf(header: string | null): readonly string[] {
  if (header === null) return [];
  const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  return Array.from(text.matchAll(WARN_VALUE), ([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
}
