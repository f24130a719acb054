/** Upstream's limits (apiserver/pkg/endpoints/filters/warning.go): beyond the first, warnings are cut to the second. */
const MAX_WARNINGS_CHARS = 4096;
const MAX_LONG_WARNING_CHARS = 256;

/**
 * Value of the header `Warning` that says all of them once, as client-go parses RFC 7234's; what is too much is left out. Its characters stand for the bytes
 * of UTF-8, as kube-apiserver sends them: Node refuses headers with others.
 */
export function warningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings)];
  const isTooMuch = texts.reduce((sum, { length }) => sum + length, 0) > MAX_WARNINGS_CHARS;
  let charsLeft = MAX_WARNINGS_CHARS;
  const values: string[] = [];
  for (const text of texts) {
    const shown = isTooMuch ? text.slice(0, MAX_LONG_WARNING_CHARS) : text;
    charsLeft -= shown.length;
    if (charsLeft < 0) break;
    values.push(`299 - ${quoted(shown)}`);
  }
  return Buffer.from(values.join(', '), 'utf8').toString('latin1');
}

/** A quoted-string, whose escapes stand for the character alone: `\n` would be an n. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/["\\]/g, '\\$&')}"`;
}
