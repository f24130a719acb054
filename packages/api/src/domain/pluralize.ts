/** Formats `1 node` or `3 nodes`, for nouns with regular plurals. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
