import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskFiles } from '../process/files.ts';
import { OffHostRemovals } from './off-host-removals.ts';
import { SnapshotArchive } from './snapshot-archive.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { quickKey } from './testing/quick-key.ts';

let parent: string;
let folder: string;
let store: MemoryStore;
let archive: SnapshotArchive;
let clock: FakeClock;
let removals: OffHostRemovals | undefined;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'removals-'));
  folder = join(parent, 'removed');
  store = new MemoryStore();
  archive = new SnapshotArchive(store, 'correct horse battery staple', { stretch: quickKey });
  clock = new FakeClock();
  writeFileSync(join(parent, 'db'), 'database');
  for (const uid of ['gone', 'other']) {
    await archive.upload(uid, '20261121-120000-000', join(parent, 'db'), '{}', () => true);
  }
});
afterEach(async () => {
  await removals?.stop();
  rmSync(parent, { recursive: true });
});

function open(): OffHostRemovals {
  removals = new OffHostRemovals(folder, archive, { files: diskFiles, clock, log: silentLogger });
  return removals;
}

async function clusters(): Promise<readonly string[]> {
  store.isUnavailable = false;
  return (await archive.list()).map(({ clusterUid }) => clusterUid);
}

test('deletes copies of a deleted cluster, and keeps copies of other clusters', async () => {
  const opened = open();
  await opened.add('gone');
  await opened.settled();

  expect(await clusters()).toEqual(['other']);
  expect(readdirSync(folder)).toEqual([]);
});

test('does not wait for an unreachable store, and retries ten minutes later', async () => {
  const opened = open();
  store.isUnavailable = true;
  await opened.add('gone');
  await opened.settled();
  store.calls = 0;
  await clock.advance(599_000);
  await opened.settled();
  expect(store.calls).toBe(0);
  expect(existsSync(join(folder, 'gone'))).toBe(true);

  store.isUnavailable = false;
  await clock.advance(1_000);
  await opened.settled();
  expect(await clusters()).toEqual(['other']);
});

test('completes the deletions that a killed process left unfinished', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'gone'), '');
  const opened = open();
  await clock.advance(0);
  await opened.settled();

  expect(await clusters()).toEqual(['other']);
});
