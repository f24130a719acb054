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
  const place = { folder, file: 'log.log', owners: [process.getuid?.() ?? 0] };
  const lines: string[] = [];
  const { next, skipped } = await scanNewestLines(place, from, (line) => {
    if (lines.length === limit) return false;
    lines.push(line);
    return true;
  });
  return { lines, next, skipped };
}

/** All lines, by as many scans as it takes. */
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

test('the newest line comes first, and the files that were rotated after it', async () => {
  await writeFile(at(OLDEST), 'a\nb\n');
  await writeFile(at(OLDER), 'c\n');
  await writeFile(at('log.log'), 'd\ne\n');

  expect(await scan()).toEqual({ lines: ['e', 'd', 'c', 'b', 'a'], next: undefined, skipped: 0 });
});

test('of files that were rotated in the same millisecond the last one comes first', async () => {
  for (const [name, text] of [
    ['log-2026-01-01T10-20-30.456-10.log', 'c\n'],
    ['log-2026-01-01T10-20-30.456-9.log', 'b\n'],
    [OLDER, 'a\n'],
  ] as const) {
    await writeFile(at(name), text);
  }

  expect((await scan()).lines).toEqual(['c', 'b', 'a']);
});

test('where nothing was written there is nothing', async () => {
  expect(await scan()).toEqual({ lines: [], next: undefined, skipped: 0 });
});

test('a line that is being written is left for later', async () => {
  await writeFile(at('log.log'), 'a\nb');
  expect((await scan()).lines).toEqual(['a']);
  await appendFile(at('log.log'), 'c\n');

  expect((await scan()).lines).toEqual(['bc', 'a']);
});

describe('page by page', () => {
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

  test.each([1, 2, 7, 10, 15, 25, 100])('of %i, each line comes once', async (limit) => {
    expect((await scanAll(limit)).lines).toEqual(written.toReversed());
  });

  test('a rotation between two pages loses and repeats nothing', async () => {
    const first = await scan({ limit: 3 });
    await rename(at('log.log'), at('log-2026-02-01T00-00-00.000.log'));
    await writeFile(at('log.log'), 'new\n');
    const second = await scan({ limit: 100, ...(first.next && { from: first.next }) });

    expect([...first.lines, ...second.lines]).toEqual(written.toReversed());
  });

  test('when the file that a token names is gone there is nothing older', async () => {
    const first = await scan({ limit: 20 });
    await rm(at(OLDER));

    expect(await scan({ ...(first.next && { from: first.next }) })).toMatchObject({ lines: [], next: undefined });
  });

  test('a token of a file that is gone leads into no other, even if that has got its inode', async () => {
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

  test('a token into the middle of a line begins at the line before', async () => {
    const { next } = await scan({ limit: 1 });
    const from = { file: next?.file ?? '', end: (next?.end ?? 0) - 5 };

    expect((await scan({ from, limit: 1 })).lines).toEqual([written.at(-3)]);
  });

  test('a token behind the end begins at the end', async () => {
    const { next } = await scan({ limit: 1 });

    expect((await scan({ from: { file: next?.file ?? '', end: 1e15 }, limit: 1 })).lines).toEqual([written.at(-1)]);
  });
});

describe('whoever writes it may be hostile', () => {
  test('a line that is too long is left out and counted, and those around it are not', async () => {
    await writeFile(at('log.log'), `a\n${'x'.repeat(MAX_LINE_BYTES * 2)}\nb\n`);

    expect(await scanAll()).toMatchObject({ lines: ['b', 'a'], skipped: 1 });
  });

  test('a line of more than a scan is one of its own', async () => {
    const long = 'x'.repeat(MAX_LINE_BYTES - 1);
    await writeFile(at('log.log'), `a\n${long}\nb\n${long}\nc\n`);
    const { lines, scans } = await scanAll();

    expect(lines.map((line) => line.length)).toEqual([1, long.length, 1, long.length, 1]);
    expect(scans).toBe(3);
  });

  test('a line that never ends costs one scan after another, each within its bounds', async () => {
    await writeFile(at('log.log'), 'a\n');
    await truncate(at('log.log'), MAX_LINE_BYTES + 3 * MAX_SCAN_BYTES);
    await appendFile(at('log.log'), '\nb\n');
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(['b', 'a']);
    expect(scans).toBe(5);
  });

  test('more than is looked through at once goes on in the next scan', async () => {
    const written = Array.from({ length: 90 }, (_, index) => `${index} ${'x'.repeat(100_000)}`);
    await writeFile(at('log.log'), written.map((line) => `${line}\n`).join(''));
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(written.toReversed());
    expect(scans).toBe(3);
  });

  test('lines without content are as few at once as others', async () => {
    await writeFile(at('log.log'), `a${'\n'.repeat(MAX_SCAN_LINES * 2 + 1)}`);
    const { lines, scans } = await scanAll();

    expect(lines).toEqual(['a']);
    expect(scans).toBe(3);
  });

  test.each(['log.log', OLDER])('links, pipes and folders in the place of %s are not read', async (name) => {
    await writeFile(at('secret'), 'hunter2\n');
    for (const place of [
      () => symlink(at('secret'), at(name)),
      () => link(at('secret'), at(name)),
      () => mkdir(at(name)),
      () => Promise.resolve(execFileSync('mkfifo', [at(name)])),
    ]) {
      await place();
      expect(await scan()).toEqual({ lines: [], next: undefined, skipped: 1 });
      await rm(at(name), { recursive: true });
    }
  });

  test('files of others are not read', async () => {
    await writeFile(at('log.log'), 'a\n');
    const place = { folder, file: 'log.log', owners: [(process.getuid?.() ?? 0) + 1] };
    const lines: string[] = [];
    const { skipped } = await scanNewestLines(place, undefined, (line) => lines.push(line) > 0);

    expect({ lines, skipped }).toEqual({ lines: [], skipped: 1 });
  });

  test.each([
    'log-.log',
    'log-2026.log',
    'log-2026-01-01T10-20-30.456.log.gz',
    'log-a2026-01-01T10-20-30.456.log',
    'audit.log',
  ])('%s is no file of the log', async (name) => {
    await writeFile(at(name), 'a\n');

    expect((await scan()).lines).toEqual([]);
  });

  test('of many files the newest are read, as long as the folder is not full of names', async () => {
    for (let index = 10; index < 60; index++)
      await writeFile(at(`log-2026-01-01T10-20-${index}.000.log`), `${index}\n`);
    const { lines } = await scan();

    expect(lines.slice(0, 2)).toEqual(['59', '58']);
    expect(lines).toHaveLength(32);
  });
});
