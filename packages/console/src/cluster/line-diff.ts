export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** If the texts differ by more than this, everything in between is displayed as replaced. */
const MAX_CELLS = 4_000_000;

/** The line-by-line difference between two texts, with as many common lines as possible. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [
    ...a.slice(0, start).map(unchangedLine),
    ...changedLines(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(unchangedLine),
  ];
}

/** The changes with some context lines; undefined marks omitted lines. */
export function hunks(lines: readonly DiffLine[], contextLines = 3): readonly (DiffLine | undefined)[] {
  const isNearChange = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index): (DiffLine | undefined)[] => {
    if (isNearChange[index]) return [line];
    return index > 0 && isNearChange[index - 1] ? [undefined] : [];
  });
}

function unchangedLine(text: string): DiffLine {
  return { kind: 'same', text };
}

/** Uses the longest common subsequence. */
function changedLines(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const removed = a.map((text): DiffLine => ({ kind: 'removed', text }));
  const added = b.map((text): DiffLine => ({ kind: 'added', text }));
  if (a.length * b.length > MAX_CELLS) return [...removed, ...added];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i] ?? '', b[j] ?? ''];
    if (left === right) {
      lines.push(unchangedLine(left));
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: 'removed', text: left });
      i++;
    } else {
      lines.push({ kind: 'added', text: right });
      j++;
    }
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}
