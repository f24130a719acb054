import { clusters } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import { SnapshotArchive } from '@fairway/control-plane/off-host/snapshot-archive';
import { MemoryStore } from '@fairway/control-plane/off-host/testing/memory-store';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBackup, parseBackup } from '../../backup/backup-file.ts';
import type { BackupSchedule } from '../../backup/backup-schedule.ts';
import { newEncryption } from '../../backup/cipher.ts';
import { ScheduledBackups } from '../../backup/scheduled-backups.ts';
import { fetchBackup, storedBackups } from '../../backup/stored-backups.ts';
import { TestApi } from '../../backup/testing/test-api.ts';

const HOUR_MS = 3_600_000;
const MIDNIGHT_MS = Date.UTC(2026, 0, 1);

let api: TestApi;
let store: MemoryStore;
let place: OffHost;
let clock: FakeClock;
let running: ScheduledBackups | undefined;
beforeEach(async () => {
  api = new TestApi();
  await api.create(Namespaces, { metadata: { name: 'team', annotations: { 'fairway.dev/cloud': 'mine' } }, spec: {} });
  store = new MemoryStore();
  place = storeLocation('correct horse battery');
  clock = new FakeClock(MIDNIGHT_MS + HOUR_MS / 2);
});
afterEach(async () => {
  await running?.stop();
  await api.close();
});

function storeLocation(passphrase: string): OffHost {
  return { store, passphrase, snapshots: new SnapshotArchive(store, passphrase) };
}

const hourlySettings: BackupSchedule = {
  lastDue: (nowMs) => Math.floor(nowMs / HOUR_MS) * HOUR_MS,
  nextDue: (afterMs) => (Math.floor(afterMs / HOUR_MS) + 1) * HOUR_MS,
};

/** Hourly, keeping three backups. */
function start({ offHost = place, client = api.client } = {}): ScheduledBackups {
  running = new ScheduledBackups({
    offHost,
    schedule: hourlySettings,
    keep: 3,
    client,
    server: 'https://here',
    clock,
    log: silentLogger,
    // Uses fast key derivation, because test data needs no protection.
    encryption: () => newEncryption({ N: 2 ** 14, r: 8, p: 1 }),
  });
  return running;
}

/** Advances time, and waits for the work that it triggers. */
async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await running?.waitUntilIdle();
  await clock.advance(0);
}

async function times(): Promise<readonly string[]> {
  return (await storedBackups(place)).map(({ name }) => name.slice('fairway-'.length, -'.backup'.length));
}

test('makes the first backup immediately, then one whenever it is due', async () => {
  start();
  await pass(0);
  expect(await times()).toEqual(['20260101T003000Z']);

  for (let quarterHourMs = 0; quarterHourMs < 8; quarterHourMs++) await pass(HOUR_MS / 4);
  expect(await times()).toEqual(['20260101T003000Z', '20260101T010000Z', '20260101T020000Z']);
});

test('makes backups that can be restored', async () => {
  start();
  await pass(0);

  const { name, bytes } = await fetchBackup(place, 'latest');
  const archive = await openBackup(name, parseBackup(name, bytes), place.passphrase);

  expect(archive.contents).toMatchObject({ server: 'https://here' });
  expect(archive.objects.map(({ metadata }) => metadata.name)).toContain('team');
});

test('deletes the oldest backups', async () => {
  start();
  await pass(0);
  for (let hour = 0; hour < 4; hour++) await pass(HOUR_MS);

  expect(await times()).toEqual(['20260101T020000Z', '20260101T030000Z', '20260101T040000Z']);
});

test('makes no backup after a restart until one is due, but makes up for a missed one immediately', async () => {
  await start().waitUntilIdle();
  await pass(0);
  await running?.stop();
  start();
  await pass(60_000);
  expect(await times()).toHaveLength(1);
  await running?.stop();

  await clock.advance(5 * HOUR_MS);
  start();
  await pass(0);
  expect(await times()).toEqual(['20260101T003000Z', '20260101T053100Z']);
});

test('retries an unreachable store with backoff, then makes the backup', async () => {
  store.isUnavailable = true;
  const backups = start();
  await pass(0);
  await pass(HOUR_MS);
  const callsInFirstHour = store.calls;
  await pass(HOUR_MS);
  expect({ first: callsInFirstHour, second: store.calls - callsInFirstHour }).toEqual({ first: 11, second: 6 });
  expect(backups.counts).toMatchObject({ newestMs: undefined, overdueMs: 2 * HOUR_MS, failures: 17 });

  store.isUnavailable = false;
  await pass(600_000);
  expect(await times()).toHaveLength(1);
  expect(backups.counts).toMatchObject({ newestMs: expect.any(Number) as number, overdueMs: 0 });
});

test('keeps intact backups if the store is full or damages new ones', async () => {
  start();
  await pass(0);
  store.freeBytes = 0;
  await pass(HOUR_MS);
  store.freeBytes = Number.POSITIVE_INFINITY;
  store.put = (key, bytes) => MemoryStore.prototype.put.call(store, key, bytes.subarray(0, -1));
  await pass(HOUR_MS);

  expect(await times()).toEqual(['20260101T003000Z']);
  expect(await fetchBackup(place, 'latest')).toMatchObject({ name: 'fairway-20260101T003000Z.backup' });
});

test('leaves a damaged backup alone, and makes another one', async () => {
  start();
  await pass(0);
  await pass(HOUR_MS);
  await running?.stop();
  const damagedBackup = 'backups/fairway-20260101T010000Z.backup';
  store.objects.set(damagedBackup, Buffer.from('{"format":'));

  await clock.advance(HOUR_MS / 2);
  start();
  await pass(0);

  expect(await times()).toEqual(['20260101T003000Z', '20260101T010000Z', '20260101T020000Z']);
});

test('makes no backup if the store contains backups with a different passphrase, and logs the reason', async () => {
  start({ offHost: storeLocation('the passphrase of yesterday') });
  await pass(0);
  await running?.stop();

  const backups = start();
  await pass(0);
  await pass(HOUR_MS);

  expect(await times()).toEqual(['20260101T003000Z']);
  expect(backups.counts).toMatchObject({ newestMs: undefined, overdueMs: HOUR_MS, failures: 11 });
});

test('makes no backup on a new machine before the lost Fairway is restored', async () => {
  await api.create(clusters, aCluster({}, { name: 'demo', namespace: 'team' }));
  start();
  await pass(0);
  await running?.stop();
  const isEmpty = new TestApi();

  start({ client: isEmpty.client });
  await pass(0);
  await pass(2 * HOUR_MS);
  await isEmpty.close();

  expect(await times()).toEqual(['20260101T003000Z']);
});

test('keeps a new backup even if a wrong clock gave older backups later dates', async () => {
  const now = clock.now();
  clock = new FakeClock(now + 300 * HOUR_MS);
  start();
  await pass(0);
  for (let hour = 0; hour < 4; hour++) await pass(HOUR_MS);
  await running?.stop();

  clock = new FakeClock(now);
  start();
  await pass(0);

  expect(await times()).toEqual(['20260101T003000Z', '20260113T150000Z', '20260113T160000Z']);
});

test('aborts a running backup when stopped, and leaves nothing in the store', async () => {
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const client = new KubeClient({
    request(request) {
      if (request.path === '/version') return inner.request(request);
      // An API server that does not respond.
      return new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    },
    close: () => inner.close(),
  });
  const backups = start({ client });
  await clock.advance(0);

  await backups.stop();

  expect({ puts: store.puts, timers: clock.pendingTimers }).toEqual({ puts: [], timers: 0 });
});
