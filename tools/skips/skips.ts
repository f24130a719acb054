/** The number of skipped tests in a file, and what they need: one line of `.ci/skips`. */
export interface Skip {
  readonly count: number;
  readonly needs: string;
}

/** Lines of `COUNT FILE NEEDS…`; empty lines and comments are ignored. Throws for any other line. */
export function parseSkips(text: string): ReadonlyMap<string, Skip> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [count = '', file = '', ...needs] = line.split(' ').filter((word) => word !== '');
      if (!/^[0-9]+$/.test(count) || needs.length === 0) throw new Error(`.ci/skips: "${line}": want COUNT FILE NEEDS`);
      return [file, { count: Number(count), needs: needs.join(' ') }];
    }),
  );
}

/** Skips that the list does not allow. Fewer skips are allowed, because a machine may have more tools than CI. */
export function differences(skipped: ReadonlyMap<string, number>, listed: ReadonlyMap<string, Skip>): string[] {
  return [...skipped].flatMap(([file, count]) => {
    const allowed = listed.get(file)?.count ?? 0;
    return count <= allowed ? [] : [`${file}: skipped tests: ${count}, listed in .ci/skips: ${allowed}`];
  });
}

/** The list with the counts from a run. Comments, order and files that did not run are kept; new files are appended. */
export function renderSkips(text: string, skipped: ReadonlyMap<string, number>): string {
  const listed = parseSkips(text);
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const file = line.startsWith('#') ? undefined : line.split(' ').filter((word) => word !== '')[1];
      const skip = file === undefined ? undefined : listed.get(file);
      const count = file === undefined ? undefined : skipped.get(file);
      if (file === undefined || skip === undefined || count === undefined) return [line];
      return count === 0 ? [] : [lineOf(file, { ...skip, count })];
    });
  const added = [...skipped].filter(([file, count]) => count > 0 && !listed.has(file));
  return `${[...lines, ...added.map(([file, count]) => lineOf(file, { count, needs: '(say what)' }))].join('\n')}\n`;
}

/** A summary with one line per requirement. */
export function summary(skipped: ReadonlyMap<string, number>, listed: ReadonlyMap<string, Skip>): string {
  const byNeed = new Map<string, number>();
  for (const [file, count] of skipped) {
    if (count === 0) continue;
    const needs = listed.get(file)?.needs ?? 'not listed in .ci/skips';
    byNeed.set(needs, (byNeed.get(needs) ?? 0) + count);
  }
  return [...byNeed].map(([needs, count]) => `skipped: ${count} tests need ${needs}\n`).join('');
}

function lineOf(file: string, { count, needs }: Skip): string {
  return `${String(count).padStart(4)} ${file.padEnd(64)} ${needs}`;
}
