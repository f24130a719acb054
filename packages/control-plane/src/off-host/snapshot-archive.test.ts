import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SnapshotArchive } from './snapshot-archive.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { quickKey } from './testing/quick-key.ts';

const SNAPSHOT_NAME = '20261121-120000-000';
const LATER = '20261121-130000-000';
const RECORD = JSON.stringify({ port: 20_001, encryptionKey: 'the key of the Secrets' });
const always = () => true;

let folder: string;
/** More than two parts, and incompressible. */
const database = randomBytes(20 * 1024);
let store: MemoryStore;
let archive: SnapshotArchive;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
  writeFileSync(join(folder, 'db'), database);
  writeFileSync(join(folder, 'small'), 'a small database of another time');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  store = new MemoryStore();
  archive = new SnapshotArchive(store, 'correct horse battery staple', { stretch: quickKey, partBytes: 8192 });
});

function upload(name = SNAPSHOT_NAME, file = 'db', mayAct = always): Promise<void> {
  return archive.upload('uid-1', name, join(folder, file), RECORD, mayAct);
}

async function read(from: SnapshotArchive, name = SNAPSHOT_NAME): Promise<{ record: string; bytes: Buffer }> {
  const { record, chunks } = await from.open('uid-1', name);
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { record, bytes: Buffer.concat(parts) };
}

test('reads stored snapshots with their record, using only the passphrase and the store', async () => {
  await upload();
  const { record, bytes } = await read(
    new SnapshotArchive(store, 'correct horse battery staple', { stretch: quickKey, partBytes: 8192 }),
  );

  expect(bytes.equals(database)).toBe(true);
  expect(record).toBe(RECORD);
  expect(await archive.list()).toMatchObject([
    { clusterUid: 'uid-1', name: SNAPSHOT_NAME, takenAtMs: Date.UTC(2026, 10, 21, 12) },
  ]);
});

test('stores only encrypted data, and cannot open it with another passphrase', async () => {
  await upload(SNAPSHOT_NAME, 'small');
  const stored = Buffer.concat([...store.objects.values()]).toString('latin1');

  expect(stored).not.toContain('small database');
  expect(stored).not.toContain('encryptionKey');
  await expect(
    read(new SnapshotArchive(store, 'another passphrase', { stretch: quickKey, partBytes: 8192 })),
  ).rejects.toThrow('the passphrase is wrong');
});

test('does not treat an interrupted upload as a snapshot, and continues with the missing parts', async () => {
  store.freeBytes = 2;
  await expect(upload()).rejects.toThrow('no room');
  expect(await archive.list()).toEqual([]);

  store.freeBytes = Number.POSITIVE_INFINITY;
  store.puts.length = 0;
  await upload();

  expect(store.puts.length).toBe(2);
  expect(store.puts.at(-1)).toMatch(/manifest$/);
  expect((await read(archive)).bytes.equals(database)).toBe(true);
});

test('stops when another process manages the cluster', async () => {
  await expect(upload(SNAPSHOT_NAME, 'db', () => false)).rejects.toThrow('another process');
  expect(store.puts).toEqual([]);
});

test.each([
  {
    reason: 'a part is damaged',
    spoil: (part: string) => store.objects.get(part)?.writeUInt8(1, 40),
    message: 'is damaged',
  },
  { reason: 'a part is missing', spoil: (part: string) => store.objects.delete(part), message: 'there is no' },
  {
    reason: 'two parts are swapped',
    spoil: (part: string) => {
      const other = store.objects.get(store.puts[1] ?? '');
      if (other) store.objects.set(part, other);
    },
    message: 'is damaged',
  },
])('refuses a snapshot if $reason', async ({ spoil, message }) => {
  await upload();
  spoil(store.puts[0] ?? '');

  await expect(read(archive)).rejects.toThrow(message);
});

test('refuses a snapshot under the name of another snapshot', async () => {
  await upload(SNAPSHOT_NAME, 'small');
  for (const [key, bytes] of store.objects.entries().toArray())
    store.objects.set(key.replace(SNAPSHOT_NAME, LATER), bytes);

  await expect(read(archive, LATER)).rejects.toThrow('cannot be decrypted');
});

test('removes the manifest first, and deletes abandoned uploads', async () => {
  await upload(SNAPSHOT_NAME, 'small');
  store.freeBytes = 1;
  await expect(upload(LATER, 'db')).rejects.toThrow('no room');
  await archive.removeAbandonedUploads('uid-1', []);
  expect([...store.objects.keys()].every((key) => key.includes(SNAPSHOT_NAME))).toBe(true);

  await archive.remove('uid-1', SNAPSHOT_NAME);
  expect([...store.objects.keys()]).toEqual([]);
});

test('does not delete an upload in progress', async () => {
  store.freeBytes = 1;
  await expect(upload()).rejects.toThrow('no room');
  await archive.removeAbandonedUploads('uid-1', [{ name: SNAPSHOT_NAME, takenAtMs: 0, sizeBytes: 1 }]);

  expect(store.objects.size).toBe(1);
});
