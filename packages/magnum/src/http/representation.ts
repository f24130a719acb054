/** Links to an object. */
export function links(url: string, collection: string, id: string) {
  return [
    { href: `${url}/v1/${collection}/${id}`, rel: 'self' },
    { href: `${url}/${collection}/${id}`, rel: 'bookmark' },
  ];
}

/** Formats times like Magnum. */
export function magnumTime(time: string | undefined): string | null {
  return time === undefined ? null : time.replace(/(\.[0-9]+)?Z$/, '+00:00');
}

/** The numeric ID that rows in Magnum have; no client uses it for lookups. */
export function rowNumber(uuid: string): number {
  return (Number.parseInt(uuid.slice(0, 8), 16) & 0x7fffffff) + 1;
}
