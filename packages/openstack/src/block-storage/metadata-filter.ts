/** Cinder reads the filter of a list as a Python dictionary: `{'key': 'value'}`. Throws if a key or value would need escaping. */
export function metadataFilter(metadata: Readonly<Record<string, string>>): string {
  const items = Object.entries(metadata).map((item) => item.map(quoted).join(': '));
  return `{${items.join(', ')}}`;
}

function quoted(text: string): string {
  if (/['"\\\p{Cc}]/u.test(text)) throw new TypeError(`cannot filter by metadata with ${JSON.stringify(text)}`);
  return `'${text}'`;
}
