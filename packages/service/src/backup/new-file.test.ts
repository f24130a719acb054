import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeNewFile } from './new-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-new-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('creates a complete file, accessible only to its owner', async () => {
  const path = join(folder, 'new');

  await writeNewFile(path, Buffer.from('text'), 'u');

  expect(await readFile(path, 'utf8')).toBe('text');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['new']);
});

test('keeps an existing file, and leaves no temporary file behind', async () => {
  const path = join(folder, 'old');
  await writeNewFile(path, Buffer.from('old'), 'u');

  await expect(writeNewFile(path, Buffer.from('new'), 'v')).rejects.toThrow(/already exists/);

  expect(await readFile(path, 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['old']);
});

test('names a missing directory in the error', async () => {
  await expect(writeNewFile(join(folder, 'a', 'b'), Buffer.from(''), 'u')).rejects.toThrow(/cannot be written: ENOENT/);
});
