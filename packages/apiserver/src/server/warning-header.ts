/**
 * Upstream's limits (apiserver/pkg/endpoints/filters/warning.go): if the total exceeds the first, each warning is
 * truncated to the second.
 */
const MAX_WARNINGS_CHARS = 4096;
const MAX_LONG_WARNING_CHARS = 256;

/**
 * Value of the `Warning` header, with each warning once, in client-go's format of RFC 7234; excess warnings are
 * omitted. Its characters represent UTF-8 bytes, as kube-apiserver sends them, because Node rejects other header
 * values.
 */
export function warningHeader(warnings: readonly string[]): string {
  const texts = [...new Set(warnings)];
  const exceedsLimit = texts.reduce((sum, { length }) => sum + length, 0) > MAX_WARNINGS_CHARS;
  let charsLeft = MAX_WARNINGS_CHARS;
  const values: string[] = [];
  for (const text of texts) {
    const shown = exceedsLimit ? text.slice(0, MAX_LONG_WARNING_CHARS) : text;
    charsLeft -= shown.length;
    if (charsLeft < 0) break;
    values.push(`299 - ${quoted(shown)}`);
  }
  return Buffer.from(values.join(', '), 'utf8').toString('latin1');
}

/** A quoted-string, where an escape means the literal character: `\n` would be an n. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/["\\]/g, '\\$&')}"`;
}
