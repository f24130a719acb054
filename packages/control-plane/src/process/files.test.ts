import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskFiles } from './files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('makes a file and its new directories accessible only to their owner', async () => {
  const path = join(folder, 'a/b/secret');

  await diskFiles.write(path, 'first');
  await diskFiles.write(path, 'second');

  expect(diskFiles.read(path)).toBe('second');
  expect(await Promise.all([path, join(folder, 'a/b'), join(folder, 'a')].map(modeOf))).toEqual([0o600, 0o700, 0o700]);
});

test('gives a group with read access no more than that', async () => {
  const path = join(folder, 'config');

  await diskFiles.write(path, 'text', process.getgid?.());

  expect(await modeOf(path)).toBe(0o640);
});

test('does not follow a symlink', async () => {
  const victim = join(folder, 'victim');
  await writeFile(victim, 'keep');
  for (const name of ['record', 'log.1']) await symlink(victim, join(folder, `${name}.${process.pid}.draft`));
  await symlink(victim, join(folder, 'log.1'));
  await writeFile(join(folder, 'log'), 'lines');

  await diskFiles.write(join(folder, 'record'), 'text');
  await diskFiles.rotate(join(folder, 'log'), join(folder, 'log.1'));

  expect(await readFile(victim, 'utf8')).toBe('keep');
  expect(diskFiles.read(join(folder, 'record'))).toBe('text');
  expect(diskFiles.read(join(folder, 'log.1'))).toBe('lines');
  expect(diskFiles.size(join(folder, 'log'))).toBe(0);
});

test('creates a complete file, and in only one process', async () => {
  const path = join(folder, 'record');

  const created = await Promise.all([diskFiles.create(path, 'first'), diskFiles.create(join(folder, 'other'), 'x')]);
  const again = await diskFiles.create(path, 'second');

  expect(created).toEqual([true, true]);
  expect(again).toBe(false);
  expect(diskFiles.read(path)).toBe('first');
  expect(await modeOf(path)).toBe(0o600);
  expect((await readdir(folder)).toSorted()).toEqual(['other', 'record']);
});

test('neither publishes nor removes another process’s draft', async () => {
  const path = join(folder, 'record');
  const halfWritten = `${path}.${process.pid + 1}.draft`;
  await writeFile(halfWritten, '{"port":');

  await diskFiles.write(path, 'text');

  expect(diskFiles.read(path)).toBe('text');
  expect(await readFile(halfWritten, 'utf8')).toBe('{"port":');
});

test('reads the tail of a long file', async () => {
  const path = join(folder, 'log');
  await writeFile(path, 'first line\nlast line\n');

  expect(diskFiles.tail(path, 10)).toBe('last line\n');
  expect(diskFiles.tail(join(folder, 'none'), 10)).toBe('');
});
