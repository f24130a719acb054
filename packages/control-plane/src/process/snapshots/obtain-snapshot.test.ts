import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SnapshotArchive } from '../../off-host/snapshot-archive.ts';
import { MemoryStore } from '../../off-host/testing/memory-store.ts';
import { quickKey } from '../../off-host/testing/quick-key.ts';
import { snapshotBytes, snapshotStream } from '../testing/snapshot-bytes.ts';
import { obtainSnapshot, type SnapshotCopies } from './obtain-snapshot.ts';
import { SnapshotFolder } from './snapshot-folder.ts';

const UID = '5f0c';
const COPIED = '20261121-120000-000';
const LOCAL = '20261121-130000-000';

let parent: string;
let snapshots: SnapshotFolder;
let store: MemoryStore;
let copies: SnapshotCopies;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'obtain-'));
  snapshots = new SnapshotFolder(join(parent, 'snapshots'));
  await snapshots.save(COPIED, snapshotStream('then, in the store'));
  store = new MemoryStore();
  const archive = new SnapshotArchive(store, 'correct horse battery', { stretch: quickKey, partBytes: 10 });
  await archive.upload(UID, COPIED, snapshots.fileOf(COPIED), '{}', () => true);
  await snapshots.remove(COPIED);
  await snapshots.save(LOCAL, snapshotStream('now'));
  store.calls = 0;
  copies = {
    description: archive.description,
    list: () => archive.list(UID),
    open: async (name) => (await archive.open(UID, name)).chunks,
  };
});
afterEach(() => rmSync(parent, { recursive: true }));

const obtain = (name: string, change: { copies?: SnapshotCopies | undefined; mayAct?: () => boolean } = {}) =>
  obtainSnapshot(name, { snapshots, copies, mayAct: () => true, ...change });
const files = () => readdirSync(snapshots.path).sort();

test('uses an intact local snapshot without accessing the store', async () => {
  await obtain(LOCAL);

  expect(store.calls).toBe(0);
});

test('fetches a missing snapshot', async () => {
  await obtain(COPIED);

  expect(readFileSync(snapshots.fileOf(COPIED))).toEqual(snapshotBytes('then, in the store'));
  expect(files()).toEqual([`${COPIED}.db`, `${LOCAL}.db`]);
});

test('replaces a damaged local snapshot with its copy', async () => {
  writeFileSync(snapshots.fileOf(COPIED), 'something else, long enough for a checksum at its end');
  await obtain(COPIED);

  await expect(snapshots.verify(COPIED)).resolves.toBeUndefined();
});

test('asks the tenant to choose another snapshot if the local one is damaged and has no copy', async () => {
  writeFileSync(snapshots.fileOf(LOCAL), 'something else, long enough for a checksum at its end');

  await expect(obtain(LOCAL)).rejects.toMatchObject({
    problem: 'NotFound',
    message: `snapshot ${LOCAL} is damaged: its checksum does not match; select another snapshot`,
  });
});

test('lists the snapshots on this machine and in the store if one is missing', async () => {
  await expect(obtain('20200101-000000-000')).rejects.toMatchObject({
    problem: 'NotFound',
    message: `snapshot 20200101-000000-000 of the cluster does not exist; available: ${LOCAL}, ${COPIED}`,
  });
});

test('retries an unreachable store later', async () => {
  store.isUnavailable = true;

  await expect(obtain(COPIED)).rejects.toMatchObject({
    problem: 'Failed',
    message: `it is not stored locally, and copies could not be listed: ${store.description} does not answer: connect ECONNREFUSED`,
  });
});

test.each([
  { what: 'a part is missing', harm: (key: string) => store.objects.delete(key) },
  { what: 'a part is damaged', harm: (key: string) => store.objects.set(key, Buffer.from('x')) },
])('keeps no file if $what in a copy, and does not fetch the copy again', async ({ harm }) => {
  harm([...store.objects.keys()].find((key) => key.includes('part-00001')) ?? '');

  await expect(obtain(COPIED)).rejects.toMatchObject({ problem: 'NotFound' });
  expect(files()).toEqual([`${LOCAL}.db`]);
});

test('stops once it is no longer allowed to act, and leaves no partial file', async () => {
  let chunks = 0;

  await expect(obtain(COPIED, { mayAct: () => ++chunks < 3 })).rejects.toMatchObject({ problem: 'Failed' });
  expect(files()).toEqual([`${LOCAL}.db`]);
});
