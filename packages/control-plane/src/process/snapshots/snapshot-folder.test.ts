import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { snapshotBytes, snapshotStream } from '../testing/snapshot-bytes.ts';
import { DamagedSnapshotError, SnapshotFolder } from './snapshot-folder.ts';

const EARLY = '20261121-120000-000';
const LATE = '20261121-130000-000';

let parent: string;
let folder: SnapshotFolder;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'snapshots-'));
  folder = new SnapshotFolder(join(parent, 'cluster'));
});
afterEach(() => rmSync(parent, { recursive: true }));

async function* cutOff(text: string): AsyncIterable<Uint8Array> {
  yield snapshotBytes(text).subarray(0, -1);
}

async function* broken(): AsyncIterable<Uint8Array> {
  yield Buffer.from('some');
  throw new Error('etcd is gone');
}

test('contains what etcd sent, in any number of chunks, accessible only to its owner', async () => {
  await folder.save(LATE, snapshotStream('later', 1));
  await folder.save(EARLY, snapshotStream('x'.repeat(1000)));

  expect(readFileSync(folder.fileOf(LATE))).toEqual(snapshotBytes('later'));
  expect(statSync(folder.fileOf(LATE)).mode & 0o777).toBe(0o600);
  expect(folder.list().map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
    [LATE, 37],
    [EARLY, 1032],
  ]);
  await folder.verify(LATE);
});

test.each([
  { reason: 'is truncated', stream: () => cutOff('text'), message: 'truncated or damaged' },
  { reason: 'ends with an error', stream: broken, message: 'etcd is gone' },
  { reason: 'is empty', stream: () => cutOff(''), message: 'truncated or damaged' },
])('leaves nothing behind of a stream that $reason', async ({ stream, message }) => {
  await expect(folder.save(LATE, stream())).rejects.toThrow(message);

  expect(readdirSync(folder.path)).toEqual([]);
});

test('detects a modified file', async () => {
  await folder.save(LATE, snapshotStream('text'));
  writeFileSync(folder.fileOf(LATE), 'T', { flag: 'r+' });

  await expect(folder.verify(LATE)).rejects.toThrow(DamagedSnapshotError);
});

test('deletes an unfinished file left by a killed process, which is not a snapshot', async () => {
  await folder.save(LATE, snapshotStream('text'));
  writeFileSync(`${folder.fileOf(EARLY)}.draft`, 'half');
  writeFileSync(join(folder.path, 'notes.txt'), 'of the operator');

  expect(folder.list().map(({ name }) => name)).toEqual([LATE]);
  await folder.removeDrafts();
  expect(readdirSync(folder.path).sort()).toEqual([`${LATE}.db`, 'notes.txt']);
});

test('is empty if its directory does not exist yet', async () => {
  expect(folder.list()).toEqual([]);
  await folder.removeDrafts();
  await folder.removeAll();
  expect(existsSync(folder.path)).toBe(false);
});
