/** `1 node`, `3 nodes`: how messages count what has a regular plural. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
