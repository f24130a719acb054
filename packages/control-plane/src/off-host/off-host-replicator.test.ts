import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SnapshotInfo } from '../runtime.ts';
import { OffHostReplicator } from './off-host-replicator.ts';
import { SnapshotArchive } from './snapshot-archive.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { quickKey } from './testing/quick-key.ts';

const NAMES = ['20261121-150000-000', '20261121-140000-000', '20261121-130000-000'] as const;

let folder: string;
let store: MemoryStore;
let archive: SnapshotArchive;
let clock: FakeClock;
let changed: number;
let replicator: OffHostReplicator;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'off-host-'));
  for (const name of NAMES) writeFileSync(join(folder, name), name);
  store = new MemoryStore();
  archive = new SnapshotArchive(store, 'correct horse battery staple', { stretch: quickKey, partBytes: 8192 });
  clock = new FakeClock();
  changed = 0;
  replicator = open();
});
afterEach(async () => {
  await replicator.stop();
  rmSync(folder, { recursive: true });
});

function open(): OffHostReplicator {
  return new OffHostReplicator({
    clusterUid: 'uid-1',
    archive,
    fileOf: (name) => join(folder, name),
    clock,
    log: silentLogger,
    onChange: () => void changed++,
  });
}

function snapshots(...names: string[]): readonly SnapshotInfo[] {
  return names.map((name) => ({ name, takenAtMs: Date.UTC(2026, 10, 21, Number(name.slice(9, 11))), sizeBytes: 1 }));
}

function setDesiredNames(names: readonly string[], keep = 2, mayAct = () => true): Promise<void> {
  replicator.setDesired({ list: snapshots(...names), keep, record: '{}', mayAct });
  return replicator.settled();
}

async function stored(): Promise<readonly string[]> {
  return (await archive.list('uid-1')).map(({ name }) => name);
}

test('copies snapshots newest first, and keeps as many copies as there are snapshots on this machine', async () => {
  await setDesiredNames([NAMES[2]]);
  await setDesiredNames([NAMES[1], NAMES[2]]);
  await setDesiredNames(NAMES);

  expect(await stored()).toEqual(NAMES.slice(0, 2));
  expect(replicator.problem).toBeUndefined();
});

test('lists existing copies only once per process', async () => {
  await setDesiredNames([NAMES[0]]);
  await replicator.stop();
  replicator = open();
  store.calls = 0;
  store.puts.length = 0;
  await setDesiredNames([NAMES[0]]);
  await setDesiredNames([NAMES[0]]);

  expect(store.calls).toBe(1);
  expect(store.puts).toEqual([]);
});

test('lists existing copies even if no snapshots are left on this machine', async () => {
  await setDesiredNames([NAMES[0]]);
  await replicator.stop();
  replicator = open();
  changed = 0;
  await setDesiredNames([]);

  expect(replicator.copies).toMatchObject([{ name: NAMES[0], takenAtMs: Date.UTC(2026, 10, 21, 15) }]);
  expect(changed).toBe(1);
});

test('calls an unreachable store less and less often, and keeps its error message unchanged', async () => {
  await setDesiredNames([NAMES[1]]);
  store.isUnavailable = true;
  store.calls = 0;
  changed = 0;
  await setDesiredNames(NAMES);
  const { problem } = replicator;
  for (let second = 0; second < 3600; second += 10) {
    await clock.advance(10_000);
    await setDesiredNames(NAMES);
  }

  expect(problem).toMatch(/^not off-host since 2026-11-21T14:00:00Z: s3:.* does not answer/);
  expect(replicator.problem).toBe(problem);
  expect(changed).toBe(1);
  expect(store.calls).toBeLessThan(15);

  store.isUnavailable = false;
  await clock.advance(600_000);
  await setDesiredNames(NAMES);
  expect(replicator.problem).toBeUndefined();
  expect(await stored()).toEqual(NAMES.slice(0, 2));
});

test('writes nothing for a cluster that another process manages', async () => {
  await setDesiredNames(NAMES, 2, () => false);

  expect(store.calls).toBe(0);
});
