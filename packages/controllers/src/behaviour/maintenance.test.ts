import { MAINTENANCE_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { findCondition } from '@fairway/kube/controller/conditions';
import { expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

/** Newer than all shipped releases, and without dates. */
const MINOR = '1.50';
const HOUR_MS = 3_600_000;

/** A window that begins this many hours after the start of the test. */
function windowInHours(clock: SteppingClock, hours: number): NonNullable<NewCluster['spec']['maintenance']> {
  const start = new Date(clock.now() + hours * HOUR_MS).toISOString().slice(11, 16);
  return { window: { start, duration: '1h', timeZone: 'UTC' } };
}

async function start(): Promise<{ fairway: TestFairway; clock: SteppingClock }> {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock });
  const rollout = { maxConcurrent: 1, maxPercent: 100, maxFailures: 1, timeout: '15m', paused: false };
  await fairway.create(kubernetesReleases, aRelease(MINOR, { rollout }, [0]));
  return { fairway, clock };
}

async function offerPatch(fairway: TestFairway): Promise<void> {
  const value = { spec: { patches: aRelease(MINOR, {}, [0, 1]).spec.patches } };
  await fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value });
}

async function get(fairway: TestFairway, name = 'demo'): Promise<Cluster> {
  return fairway.client.resource(clusters).get(name, { namespace: TEAM });
}

const upToDate = ({ status }: Cluster) => findCondition(status?.conditions, 'UpToDate');

test('a patch waits for the window and then starts automatically, while the rollout continues with other clusters', async () => {
  const { fairway, clock } = await start();
  await using _ = fairway;
  await fairway.createCluster({ version: MINOR, maintenance: windowInHours(clock, 20) }, 'a');
  for (const name of ['b', 'c']) await fairway.createCluster({ version: MINOR }, name);
  await clock.pass(HOUR_MS / 2);
  const opensAtMs = Date.parse((await get(fairway, 'a')).status?.maintenance?.window?.start ?? '');

  await offerPatch(fairway);
  await clock.pass(2 * HOUR_MS);

  const waiting = await get(fairway, 'a');
  expect(waiting.status).toMatchObject({ version: '1.50.0', phase: 'Ready' });
  expect(upToDate(waiting)).toMatchObject({
    status: 'False',
    reason: 'WaitingForMaintenanceWindow',
    message: `1.50.1 is waiting for the maintenance window, which opens at ${formatTime(opensAtMs)} (to start now: fairway cluster maintain a)`,
  });
  for (const name of ['b', 'c']) expect((await get(fairway, name)).status?.version).toBe('1.50.1');
  const release = await fairway.client.resource(kubernetesReleases).get(MINOR);
  expect(release.status?.rollout).toMatchObject({ state: 'Rolling', updated: 2, waiting: 1, moving: [], failed: [] });

  await clock.pass(opensAtMs - clock.now() - 1_000);
  expect((await get(fairway, 'a')).status?.version).toBe('1.50.0');
  await clock.pass(61_000);
  const done = await get(fairway, 'a');
  expect(done.status?.version).toBe('1.50.1');
  expect(upToDate(done)?.status).toBe('True');

  await clock.pass(HOUR_MS);
  const next = formatTime(opensAtMs + 24 * HOUR_MS);
  expect((await get(fairway, 'a')).status?.maintenance?.window?.start).toBe(next);
});

test('a retry request starts it immediately, once', async () => {
  const { fairway, clock } = await start();
  await using _ = fairway;
  await fairway.createCluster({ version: MINOR, maintenance: windowInHours(clock, 20) });
  await clock.pass(HOUR_MS / 2);
  await offerPatch(fairway);
  await clock.pass(HOUR_MS);
  expect((await get(fairway)).status?.version).toBe('1.50.0');

  await fairway.patch(clusters, 'demo', { metadata: { annotations: { [MAINTENANCE_ANNOTATION]: 'now' } } });
  await clock.pass(60_000);
  const done = await get(fairway);
  expect(done.status).toMatchObject({ version: '1.50.1', maintenance: { requested: 'now' } });

  await clock.pass(HOUR_MS);
  const value = { spec: { patches: aRelease(MINOR, {}, [0, 1, 2]).spec.patches } };
  await fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value });
  await clock.pass(HOUR_MS);
  const waits = await get(fairway);
  expect(upToDate(waits)?.reason).toBe('WaitingForMaintenanceWindow');
  expect(waits.status?.maintenance?.requestedUntil).toBeUndefined();
});

test('waiting costs no writes', async () => {
  const { fairway, clock } = await start();
  await using _ = fairway;
  await fairway.createCluster({ version: MINOR, maintenance: windowInHours(clock, 20) });
  await clock.pass(HOUR_MS / 2);
  await offerPatch(fairway);
  await clock.pass(HOUR_MS);
  const before = await get(fairway);

  await clock.pass(12 * HOUR_MS);

  expect((await get(fairway)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test('a requested version waits only if changes are restricted to windows', async () => {
  const { fairway, clock } = await start();
  await using _ = fairway;
  await fairway.create(kubernetesReleases, aRelease('1.51', {}, [0]));
  const maintenance = windowInHours(clock, 20);
  await fairway.createCluster({ version: MINOR, maintenance }, 'urgent');
  await fairway.createCluster({ version: MINOR, maintenance: { ...maintenance, confineSpecChanges: true } }, 'calm');
  await clock.pass(HOUR_MS / 2);

  for (const name of ['urgent', 'calm']) await fairway.patch(clusters, name, { spec: { version: '1.51' } });
  await clock.pass(HOUR_MS);

  expect((await get(fairway, 'urgent')).status?.version).toBe('1.51.0');
  expect((await get(fairway, 'calm')).status).toMatchObject({ version: '1.50.0', desiredVersion: '1.50.0' });
  await clock.pass(20 * HOUR_MS);
  expect((await get(fairway, 'calm')).status?.version).toBe('1.51.0');
});
