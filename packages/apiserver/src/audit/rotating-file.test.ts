import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RotatingFile } from './rotating-file.ts';

let folder: string;
let path: string;
let clock: FakeClock;
const opened: RotatingFile[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-audit-'));
  path = join(folder, 'audit.log');
  clock = new FakeClock();
});
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close();
  await rm(folder, { recursive: true });
});

function fileOf(options: { maxBytes?: number; maxBackups?: number; path?: string } = {}): RotatingFile {
  const file = new RotatingFile({ path, maxBytes: 20, maxBackups: 2, clock, ...options });
  opened.push(file);
  return file;
}

const write = (file: RotatingFile, text: string) => file.write(Buffer.from(text));
const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;

test('is accessible only to its owner, and its mode is corrected if necessary', async () => {
  await writeFile(path, 'old\n');
  await chmod(path, 0o644);
  await write(fileOf(), 'new\n');

  expect(await readFile(path, 'utf8')).toBe('old\nnew\n');
  expect(await modeOf('audit.log')).toBe(0o600);
});

test('is rotated when full, and a limited number of backups is kept', async () => {
  const file = fileOf();
  for (let count = 1; count <= 9; count++) {
    await write(file, `line ${count}\n`);
    await clock.advance(60_000);
  }
  const names = (await readdir(folder)).sort();

  expect(names).toEqual(['audit-2026-01-01T00-06-00.000.log', 'audit-2026-01-01T00-08-00.000.log', 'audit.log']);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts).toEqual(['line 5\nline 6\n', 'line 7\nline 8\n', 'line 9\n']);
  for (const name of names) expect(await modeOf(name)).toBe(0o600);
});

test('loses only the oldest backup when rotated twice in a millisecond', async () => {
  const file = fileOf({ maxBytes: 4, maxBackups: 3 });
  for (let count = 10; count <= 25; count++) await write(file, `${count}\n`);
  const names = await readdir(folder);

  expect(names).toHaveLength(4);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts.sort()).toEqual(['22\n', '23\n', '24\n', '25\n']);
});

test('leaves files with other names alone', async () => {
  const others = ['audit-old.log', 'audit-2026-01-01.log', 'audit.log.1', 'other-2026-01-01T00-05-00.000.log'];
  for (const name of others) await writeFile(join(folder, name), '');
  const file = fileOf({ maxBytes: 1, maxBackups: 1 });
  for (let count = 0; count < 5; count++) await write(file, 'x\n');

  expect(await readdir(folder)).toEqual(expect.arrayContaining(others));
  expect(await readdir(folder)).toHaveLength(others.length + 2);
});

test('is reopened after another process has rotated or deleted it', async () => {
  const file = fileOf({ maxBytes: 1_000 });
  await write(file, 'a\n');
  await rename(path, join(folder, 'elsewhere'));
  await write(file, 'b\n');
  await rm(path);
  await write(file, 'c\n');

  expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('a\n');
  expect(await readFile(path, 'utf8')).toBe('c\n');
});

test('can be appended to and rotated by two processes', async () => {
  const [one, other] = [fileOf({ maxBackups: 100 }), fileOf({ maxBackups: 100 })];
  for (let count = 10; count < 30; count++) {
    await write(count % 2 === 0 ? one : other, `line ${count}\n`);
    await clock.advance(1_000);
  }
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));

  expect(texts.join('').match(/line \d+\n/g)).toHaveLength(20);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(20);
});

test('never rotates a device', async () => {
  const file = fileOf({ path: '/dev/null', maxBytes: 1 });
  await write(file, 'a\n');
  await write(file, 'b\n');

  expect((await stat('/dev/null')).isFile()).toBe(false);
});

test('rejects with ENOSPC on a full disk', async () => {
  await expect(write(fileOf({ path: '/dev/full' }), 'a\n')).rejects.toMatchObject({ code: 'ENOSPC' });
});

test.each([
  ['a file in a missing folder', () => join(folder, 'missing', 'audit.log'), 'ENOENT'],
  ['a folder', () => folder, 'EISDIR'],
])('cannot open %s', async (_, where, code) => {
  await expect(fileOf({ path: where() }).open()).rejects.toMatchObject({ code });
});
