import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findExecutable, foldersOnPath } from './executables.ts';

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'executables-'));
  for (const folder of ['a', 'b', 'c']) mkdirSync(join(parent, folder));
  mkdirSync(join(parent, 'a/etcd'));
  writeFileSync(join(parent, 'b/etcd'), '');
  for (const folder of ['b', 'c']) {
    const path = join(parent, folder, 'kubectl');
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  }
  writeFileSync(join(parent, 'c/etcd'), '');
  chmodSync(join(parent, 'c/etcd'), 0o755);
});
afterAll(() => rmSync(parent, { recursive: true }));

test.each([
  { name: 'kubectl', folder: 'b', reason: 'the first folder with the file wins' },
  { name: 'etcd', folder: 'c', reason: 'folders and files that are not executable are skipped' },
  { name: 'kubelet', folder: undefined, reason: 'no folder contains the file' },
])('finds $name: $reason', ({ name, folder }) => {
  const folders = ['', ...['a', 'b', 'c'].map((each) => join(parent, each))];

  expect(findExecutable(folders, name)).toBe(folder && join(parent, folder, name));
});

test('does not treat an empty element of PATH as the working directory', () => {
  expect(foldersOnPath({ PATH: '/usr/bin::/bin' })).toEqual(['/usr/bin', '/bin']);
  expect(foldersOnPath({})).toEqual([]);
});
