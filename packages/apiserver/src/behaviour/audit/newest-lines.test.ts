import { execFileSync } from 'node:child_process';
import { appendFile, link, mkdir, mkdtemp, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type LinePosition,
  MAX_LINE_BYTES,
  MAX_SCAN_BYTES,
  MAX_SCAN_LINES,
  scanNewestLines,
} from '../../audit/newest-lines.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-lines-'));
});
afterEach(() => rm(folder, { recursive: true }));

const OLDER = 'log-2026-01-01T10-20-30.456.log';
const OLDEST = 'log-2025-12-31T10-20-30.456.log';
const at = (name: string) => join(folder, name);

async function scan({ from, limit = Number.POSITIVE_INFINITY }: { from?: LinePosition; limit?: number } = {}) {
  const location = { folder, file: 'log.log', owners: [process.getuid?.() ?? 0] };
  const lines: string[] = [];
  const { next, skipped } = await scanNewestLines(location, from, (line) => {
    if (lines.length === limit) return false;
    lines.push(line);
    return true;
  });
  return { lines, next, skipped };
}

/** All lines, read with as many scans as necessary. */
async function scanAll(
  limit?: number,
): Promise<{ readonly lines: string[]; readonly scans: number; readonly skipped: number }> {
  const lines: string[] = [];
  let skipped = 0;
  let from: LinePosition | undefined;
  for (let scans = 1; ; scans++) {
    const page = await scan({ ...(from && { from }), ...(limit !== undefined && { limit }) });
    lines.push(...page.lines);
    skipped += page.skipped;
    if (page.next === undefined) return { lines, scans, skipped };
    from = page.next;
  }
}

test('returns the lines of the current file before those of rotated files, newest first', async () => {
  await writeFile(at(OLDEST), 'a\nb\n');
  await writeFile(at(OLDER), 'c\n');
  await writeFile(at('log.log'), 'd\ne\n');

  expect(await scan()).toEqual({ lines: ['e', 'd', 'c', 'b', 'a'], next: undefined, skipped: 0 });
});

test('returns the last of several files rotated in the same millisecond first', async () => {
  for (const [name, text] of [
    ['log-2026-01-01T10-20-30.456-10.log', 'c\n'],
    ['log-2026-01-01T10-20-30.456-9.log', 'b\n'],
    [OLDER, 'a\n'],
  ] as const) {
    await writeFile(at(name), text);
  }

  expect((await scan()).lines).toEqual(['c', 'b', 'a']);
});

test('returns nothing if nothing has been written', async () => {
  expect(await scan()).toEqual({ lines: [], next: undefined, skipped: 0 });
});

test('skips a line that is being written', async () => {
  await writeFile(at('log.log'), 'a\nb');
  expect((await scan()).lines).toEqual(['a']);
  await appendFile(at('log.log'), 'c\n');

  expect((await scan()).lines).toEqual(['bc', 'a']);
});

describe('paging', () => {
  const written = Array.from({ length: 25 }, (_, index) => `line ${index} ${'x'.repeat(index * 1_000)}`);
  beforeEach(async () => {
    await writeFile(
      at(OLDER),
      written
        .slice(0, 10)
        .map((line) => `${line}\n`)
        .join(''),
    );
    await writeFile(
      at('log.log'),
      written
        .slice(10)
        .map((line) => `${line}\n`)
        .join(''),
    );
  });

  test.each([1, 2, 7, 10, 15, 25, 100])('returns each line once with a page size of %i', async (limit) => {
    expect((await scanAll(limit)).lines).toEqual(written.toReversed());
  });

  test('neither loses nor repeats lines if the log is rotated between two pages', async () => {
    const first = await scan({ limit: 3 });
    await rename(at('log.log'), at('log-2026-02-01T00-00-00.000.log'));
    await writeFile(at('log.log'), 'new\n');
    const second = await scan({ limit: 100, ...(first.next && { from: first.next }) });

    expect([...first.lines, ...second.lines]).toEqual(written.toReversed());
  });

  test('returns nothing if the file that a token refers to no longer exists', async () => {
    const first = await scan({ limit: 20 });
    await rm(at(OLDER));

    expect(await scan({ ...(first.next && { from: first.next }) })).toMatchObject({ lines: [], next: undefined });
  });

  test('does not confuse a deleted file with a new one that reuses its inode', async () => {
    const first = await scan({ limit: 20 });
    const inode = (await stat(at(OLDER))).ino;
    await rm(at(OLDER));
    for (let count = 0; count < 50; count++) {
      await rename(at('log.log'), at(`log-2026-02-01T00-00-00.${count + 100}.log`));
      await writeFile(at('log.log'), 'new\n');
      if ((await stat(at('log.log'))).ino === inode) break;
    }

    expect(await scan({ ...(first.next && { from: first.next }) })).toMatchObject({ lines: [], next: undefined });
  });

  test('starts at the previous line if the token points into the middle of a line', async () => {
    const { next } = await scan({ limit: 1 });
    const from = { file: next?.file ?? '', end: (next?.end ?? 0) - 5 };

    expect((await scan({ from, limit: 1 })).lines).toEqual([written.at(-3)]);
  });

  test('starts at the end if the token points beyond it', async () => {
    const { next } = await scan({ limit: 1 });

    expect((await scan({ from: { file: next?.file ?? '', end: 1e15 }, limit: 1 })).lines).toEqual([written.at(-1)]);
  });
});

describe('reading a log with a hostile writer', () => {
  test('skips and counts a line that is too long, and returns the lines around it', async () => {
    await writeFile(at('log.log'), `a\n${'x'.repeat(MAX_LINE_BYTES * 2)}\nb\n`);

    expect(await scanAll()).toMatchObject({ lines: ['b', 'a'], skipped: 1 });
  });

  test('returns a line that is longer than a scan in a scan of its own', async () => {
    const long = 'x'.repeat(MAX_LINE_BYTES - 1);
    await writeFile(at('log.log'), `a\n${long}\nb\n${long}\nc\n`);
    const { lines, scans } = await scanAll();

    expect(lines.map((line) => line.length)).toEqual([1, long.length, 1, long.length, 1]);
    expect(scans).toBe(3);
  });

  test('bounds each scan of a line that never ends', async () => {
    await writeFile(at('log.log'), 'a\n');
    await truncate(at('log.log'), MAX_LINE_BYTES + 3 * MAX_SCAN_BYTES);
    await appendFile(at('log.log'), '\nb\n');
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(['b', 'a']);
    expect(scans).toBe(5);
  });

  test('continues in the next scan once the limit is reached', async () => {
    const written = Array.from({ length: 90 }, (_, index) => `${index} ${'x'.repeat(100_000)}`);
    await writeFile(at('log.log'), written.map((line) => `${line}\n`).join(''));
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(written.toReversed());
    expect(scans).toBe(3);
  });

  test('counts empty lines towards the per-scan line limit', async () => {
    await writeFile(at('log.log'), `a${'\n'.repeat(MAX_SCAN_LINES * 2 + 1)}`);
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(['a']);
    expect(scans).toBe(3);
  });

  test.each(['log.log', OLDER])('does not read links, pipes or directories in place of %s', async (name) => {
    await writeFile(at('secret'), 'hunter2\n');
    for (const location of [
      () => symlink(at('secret'), at(name)),
      () => link(at('secret'), at(name)),
      () => mkdir(at(name)),
      () => Promise.resolve(execFileSync('mkfifo', [at(name)])),
    ]) {
      await location();
      expect(await scan()).toEqual({ lines: [], next: undefined, skipped: 1 });
      await rm(at(name), { recursive: true });
    }
  });

  test('does not read files owned by other users', async () => {
    await writeFile(at('log.log'), 'a\n');
    const location = { folder, file: 'log.log', owners: [(process.getuid?.() ?? 0) + 1] };
    const lines: string[] = [];
    const { skipped } = await scanNewestLines(location, undefined, (line) => lines.push(line) > 0);

    expect({ lines, skipped }).toEqual({ lines: [], skipped: 1 });
  });

  test.each([
    'log-.log',
    'log-2026.log',
    'log-2026-01-01T10-20-30.456.log.gz',
    'log-a2026-01-01T10-20-30.456.log',
    'audit.log',
  ])("does not treat %s as one of the log's files", async (name) => {
    await writeFile(at(name), 'a\n');

    expect((await scan()).lines).toEqual([]);
  });

  test('reads the newest of many files, unless the directory has too many entries', async () => {
    for (let index = 10; index < 60; index++)
      await writeFile(at(`log-2026-01-01T10-20-${index}.000.log`), `${index}\n`);
    const { lines } = await scan();

    expect(lines.slice(0, 2)).toEqual(['59', '58']);
    expect(lines).toHaveLength(32);
  });
});
