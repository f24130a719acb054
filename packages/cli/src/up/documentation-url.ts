/** Placeholder for the path of a page in the repository, without `.md`: `docs/tenants/upgrades`. */
const PAGE = '{page}';

/** Validates the URL of documentation pages, with `{page}`. Throws an Error with the reason. */
export function parseDocumentationUrl(text: string): string {
  const [before = '', after, ...more] = text.split(PAGE);
  if (after === undefined || more.length > 0) throw new Error(`must contain ${PAGE} once`);
  if (!/^https?:\/\/[^/?#@]+\/[^#]*$/.test(before) || !URL.canParse(`${before}page${after}`))
    throw new Error(`must be an http or https URL with ${PAGE} after the host, and without a user`);
  if (after.includes('#')) throw new Error('must not have a fragment');
  return text;
}
