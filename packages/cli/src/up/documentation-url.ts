/** Placeholder for the path of a page in the repository, without `.md`: `docs/tenants/upgrades`. */
const PAGE_PLACEHOLDER = '{page}';

/** Validates the URL of documentation pages, which must contain `{page}`. Throws an Error with the reason. */
export function parseDocumentationUrl(text: string): string {
  const [before = '', after, ...more] = text.split(PAGE_PLACEHOLDER);
  if (after === undefined || more.length > 0) throw new Error(`must contain ${PAGE_PLACEHOLDER} once`);
  if (!/^https?:\/\/[^/?#@]+\/[^#]*$/.test(before) || !URL.canParse(`${before}page${after}`))
    throw new Error(`must be an http or https URL with ${PAGE_PLACEHOLDER} after the host, and without a user`);
  if (after.includes('#')) throw new Error('must not have a fragment');
  return text;
}
