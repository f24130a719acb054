/** Maximum number of indexes to read, since clients can write a Job's status. */
const MAX_INDEXES = 1_000_000;

/** Completion indexes in the format of a Job's status: `0-2,4`. Indexes from `completions` on and invalid numbers are omitted. */
export function parseIndexes(text: string | undefined, completions = MAX_INDEXES): Set<number> {
  const indexes = new Set<number>();
  const limit = Math.min(completions, MAX_INDEXES);
  // Ranges must be ascending, so an index counts once.
  let next = 0;
  for (const part of (text ?? '').split(',')) {
    if (!/^\d+(-\d+)?$/.test(part)) continue;
    const [first = 0, last = first] = part.split('-').map(Number);
    for (next = Math.max(next, first); next <= last && next < limit; next++) indexes.add(next);
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
  return ranges.map(rangeText).join(',');
}

function rangeText([first, last]: readonly [number, number]): string {
  if (first === last) return `${first}`;
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}
