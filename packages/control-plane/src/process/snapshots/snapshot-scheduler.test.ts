import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { snapshotStream } from '../testing/snapshot-bytes.ts';
import { SnapshotFolder } from './snapshot-folder.ts';
import { SnapshotScheduler } from './snapshot-scheduler.ts';

const HOUR_MS = 3_600_000;
const POLICY = { intervalMs: HOUR_MS, keep: 2 };
const NO_SLOTS: ReadonlySet<string> = new Set();

let path: string;
let clock: FakeClock;
let serves: boolean;
let failure: Error | undefined;
let scheduler: SnapshotScheduler;
let changed: PromiseWithResolvers<void>;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'keeper-'));
  clock = new FakeClock();
  serves = true;
  failure = undefined;
  changed = Promise.withResolvers();
  scheduler = new SnapshotScheduler({
    folder: new SnapshotFolder(path),
    stream: () => {
      if (failure !== undefined) throw failure;
      return snapshotStream('database');
    },
    canTake: () => serves,
    clock,
    log: silentLogger,
    onChange: () => {
      changed.resolve();
      changed = Promise.withResolvers();
    },
  });
});
afterEach(async () => {
  await scheduler.stop();
  rmSync(path, { recursive: true });
});

const count = () => scheduler.list().length;

/** Advances the clock and runs due work. */
async function pass(ms: number): Promise<void> {
  const { promise } = changed;
  await clock.advance(ms);
  await promise;
}

test('takes snapshots immediately and then regularly, and deletes the oldest', async () => {
  scheduler.setDesired(POLICY, NO_SLOTS);
  await pass(0);
  expect(count()).toBe(1);
  const [first] = scheduler.list();

  await clock.advance(HOUR_MS - 1);
  expect(count()).toBe(1);
  await pass(1);
  await pass(HOUR_MS);

  expect(count()).toBe(2);
  expect(scheduler.list()).not.toContainEqual(first);
});

test('does not take snapshots while etcd is not ready', async () => {
  serves = false;
  scheduler.setDesired(POLICY, NO_SLOTS);
  await clock.advance(HOUR_MS);
  expect(count()).toBe(0);
  expect(scheduler.problem).toBeUndefined();

  serves = true;
  await pass(1000);
  expect(count()).toBe(1);
});

test('reports a failure, retries with backoff, and clears it on success', async () => {
  failure = new Error('no space left on device');
  scheduler.setDesired(POLICY, NO_SLOTS);
  await pass(0);
  expect(scheduler.problem).toBe('no space left on device');

  await pass(10_000);
  await clock.advance(19_999);
  failure = undefined;
  expect(count()).toBe(0);
  await pass(1);

  expect(count()).toBe(1);
  expect(scheduler.problem).toBeUndefined();
});

test('reports a directory that cannot be read', async () => {
  rmSync(path, { recursive: true });
  writeFileSync(path, 'a file');
  scheduler.setDesired(POLICY, NO_SLOTS);
  await pass(0);
  expect(scheduler.list()).toEqual([]);
  expect(scheduler.problem).toContain(path);

  rmSync(path);
  await pass(10_000);
  expect(count()).toBe(1);
  expect(scheduler.problem).toBeUndefined();
});

test('takes a requested snapshot immediately and once', async () => {
  scheduler.setDesired(POLICY, NO_SLOTS);
  await pass(0);
  await clock.advance(60_000);
  const request = { ...POLICY, requestedAtMs: clock.now() };
  scheduler.setDesired(request, NO_SLOTS);
  await pass(0);
  expect(count()).toBe(2);

  scheduler.setDesired({ ...request }, NO_SLOTS);
  await clock.advance(60_000);
  expect(count()).toBe(2);
});

test('takes no snapshots if the plan does not include them', async () => {
  scheduler.setDesired(undefined, NO_SLOTS);
  await clock.advance(HOUR_MS);

  expect(count()).toBe(0);
});
