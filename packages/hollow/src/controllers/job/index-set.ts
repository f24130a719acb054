/** Completion indexes as a Job's status writes them: `0-2,4`. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    if (part === '') continue;
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const index of [...indexes].sort((left, right) => left - right)) {
    const current = ranges.at(-1);
    if (current && current[1] === index - 1) current[1] = index;
    else ranges.push([index, index]);
  }
  // Two consecutive indexes are written as a range too, as upstream does.
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
