import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesReleaseSpec, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { joinOnceActive } from '../testing/offers.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

/** Newer than all shipped releases. */
const MINOR = '1.50';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const policy = (more: Partial<NonNullable<KubernetesReleaseSpec['forcedUpgrade']>> = {}) => ({
  forcedUpgrade: { gracePeriod: '336h', notice: '336h', exempt: [], ...more },
});
const quickRollout = { rollout: { maxConcurrent: 1, maxPercent: 100, maxFailures: 1, timeout: '15m', paused: false } };

/** A catalogue whose oldest minor version ends in 20 days. */
async function start(spec: Partial<KubernetesReleaseSpec> = policy(), options: Partial<TestFairwayOptions> = {}) {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, random: seededRandom(7), ...options });
  const endMs = Date.parse(dayOf(clock.now() + 20 * DAY_MS));
  await fairway.create(kubernetesReleases, aRelease(MINOR, { endOfLife: dayOf(endMs), ...quickRollout, ...spec }));
  await fairway.create(kubernetesReleases, aRelease('1.51'));
  const get = async (name = 'demo') => fairway.client.resource(clusters).get(name, { namespace: TEAM });
  const condition = async (type: string, name = 'demo') => findCondition((await get(name)).status?.conditions, type);
  const release = async (name = MINOR) => fairway.client.resource(kubernetesReleases).get(name);
  const events = async (name = 'demo') =>
    (await fairway.client.resource(Events).list({ namespace: TEAM })).items
      .filter(({ reason = '', involvedObject }) => reason.startsWith('Forced') && involvedObject.name === name)
      .map(({ reason, count }) => `${count}: ${reason}`)
      .sort();
  const create = async (cluster: Parameters<TestFairway['createCluster']>[0] = {}, name = 'demo') => {
    await clock.during(fairway.createCluster({ version: MINOR, ...cluster }, name));
    await clock.pass(10 * MINUTE_MS);
  };
  /** Fairway is not running during this time. */
  const stopUntil = async (timeMs: number) => {
    await clock.during(fairway.stopProcess());
    await clock.pass(timeMs - clock.now());
    await clock.during(fairway.startProcess());
    await clock.pass(MINUTE_MS);
  };
  const change = (value: object, name = MINOR) =>
    fairway.client.resource(kubernetesReleases).patch(name, { type: 'merge', value });
  return { clock, fairway, endMs, get, condition, release, events, create, stopUntil, change };
}

const gracePeriodEnd = (endMs: number) => endMs + 14 * DAY_MS;

describe('a cluster with a version past its end of life', () => {
  test('reports the scheduled time, is upgraded once and not before, and then follows patches', async () => {
    const { clock, fairway, endMs, get, condition, release, events, create, stopUntil, change } = await start();
    await using _ = fairway;
    await create({ updatePolicy: 'AlwaysUpdate' });
    const time = formatTime(gracePeriodEnd(endMs));
    expect((await get()).status?.endOfLife).toMatchObject({ notice: 30, upgrade: { to: '1.51', time } });
    expect((await condition('VersionSupported'))?.message).toContain(
      `set spec.version to 1.51; Fairway upgrades it to 1.51 automatically no earlier than ${time}`,
    );
    expect(await events()).toEqual(['1: ForcedUpgradePlanned']);

    await stopUntil(gracePeriodEnd(endMs) - 10 * MINUTE_MS);
    await clock.pass(8 * MINUTE_MS);
    expect((await get()).status).toMatchObject({ version: '1.50.2', desiredVersion: '1.50.2' });
    expect((await get()).status?.forcedUpgrade).toBeUndefined();
    await clock.pass(10 * MINUTE_MS);

    const { status } = await get();
    expect(status).toMatchObject({
      version: '1.51.2',
      desiredVersion: '1.51.2',
      phase: 'Ready',
      forcedUpgrade: { from: '1.50.2', to: '1.51.2', asked: '1.50' },
    });
    expect(Date.parse(status?.forcedUpgrade?.time ?? '')).toBeGreaterThanOrEqual(gracePeriodEnd(endMs));
    expect(status?.endOfLife).toBeUndefined();
    expect(await condition('VersionSupported')).toBeUndefined();
    expect(await condition('UpToDate')).toMatchObject({ status: 'True' });
    expect(await condition('FieldsApplied')).toMatchObject({
      reason: 'VersionOverruled',
      message: expect.stringContaining('spec.version (1.50): Kubernetes 1.50 has reached its end of life'),
    });
    expect((await release()).status).toMatchObject({
      clusters: 0,
      forcedUpgrade: { version: '1.51', state: 'Complete', total: 1, updated: 1 },
    });
    expect(await events()).toEqual(['1: ForcedUpgradePlanned', '1: ForcedUpgradeStarted']);

    const { spec } = aRelease('1.51', {}, [0, 1, 2, 3]);
    await change({ spec: { patches: spec.patches } }, '1.51');
    await clock.pass(HOUR_MS);
    expect((await get()).status?.version).toBe('1.51.3');
    await fairway.patch(clusters, 'demo', { spec: { version: '1.51' } });
    await clock.pass(MINUTE_MS);
    expect((await condition('FieldsApplied'))?.message ?? '').not.toContain('spec.version');
  });

  test('after a reset, starts with the version that it was upgraded to', async () => {
    const { clock, fairway, endMs, get, create, stopUntil } = await start();
    await using _ = fairway;
    await create();
    await stopUntil(gracePeriodEnd(endMs));
    await clock.pass(20 * MINUTE_MS);
    const { status: before } = await get();
    expect(before).toMatchObject({ version: '1.51.2', phase: 'Ready' });

    const requestedAt = formatTime(clock.now());
    await fairway.patch(clusters, 'demo', { spec: { reset: { requestedAt, confirm: 'demo', nodes: 'Delete' } } });
    await clock.pass(20 * MINUTE_MS);

    const { status } = await get();
    expect(status).toMatchObject({ version: '1.51.2', phase: 'Ready', reset: { requestedAt, phase: 'Complete' } });
    expect(status?.forcedUpgrade).toEqual(before?.forcedUpgrade);
  });

  test('is upgraded in its maintenance window', async () => {
    const { clock, fairway, endMs, get, condition, create, stopUntil } = await start();
    await using _ = fairway;
    await create({
      updatePolicy: 'NeverUpdate',
      maintenance: { window: { days: ['Wednesday'], start: '02:30', duration: '2h', timeZone: 'UTC' } },
    });
    let windowOpensMs = gracePeriodEnd(endMs);
    while (new Date(windowOpensMs).getUTCDay() !== 3) windowOpensMs += DAY_MS;
    windowOpensMs += 2.5 * HOUR_MS;

    await stopUntil(windowOpensMs - 5 * MINUTE_MS);
    await clock.pass(2 * MINUTE_MS);
    expect((await get()).status?.version).toBe('1.50.2');
    expect(await condition('UpToDate')).toMatchObject({ reason: 'WaitingForMaintenanceWindow' });
    await clock.pass(15 * MINUTE_MS);

    const { status } = await get();
    expect(status).toMatchObject({ version: '1.51.2', forcedUpgrade: { from: '1.50.2' } });
    expect(Date.parse(status?.forcedUpgrade?.time ?? '')).toBeGreaterThanOrEqual(windowOpensMs);
  });

  test.each([1, 2, 3, 4, 5, 6])('is upgraded completely even if Fairway is killed at write %i', async (writes) => {
    const crash = new Crash(/\/(clusters|kubernetesreleases)\//);
    const { clock, fairway, endMs, get, create, stopUntil } = await start(policy(), crash.options);
    await using _ = fairway;
    await create();
    await stopUntil(gracePeriodEnd(endMs) - 5 * MINUTE_MS);

    crash.afterWrites(writes, () => undefined);
    await clock.pass(30 * MINUTE_MS);
    const { status: intermediate } = await get();
    const hasStarted = intermediate?.desiredVersion?.startsWith('1.51') === true;
    expect(intermediate?.forcedUpgrade !== undefined).toBe(hasStarted);
    await clock.during(fairway.stopProcess());
    crash.end();
    await clock.during(fairway.startProcess());
    await clock.pass(HOUR_MS);

    expect((await get()).status).toMatchObject({
      version: '1.51.2',
      phase: 'Ready',
      forcedUpgrade: { from: '1.50.2', to: '1.51.2', asked: '1.50' },
    });
  });

  test('is upgraded after two weeks even if its user keeps moving the window', async () => {
    const { clock, fairway, endMs, get, create, stopUntil } = await start();
    await using _ = fairway;
    /** Twelve hours away. */
    const moved = (nowMs: number) => {
      const start = new Date(nowMs + 12 * HOUR_MS).toISOString().slice(11, 16);
      return { spec: { maintenance: { window: { start, duration: '1h', timeZone: 'UTC' } } } };
    };
    await create(moved(gracePeriodEnd(endMs)).spec);
    const versions: (string | undefined)[] = [];
    for (const days of [0, 1, 13.5]) {
      await stopUntil(gracePeriodEnd(endMs) + days * DAY_MS);
      await fairway.patch(clusters, 'demo', moved(clock.now()));
      await clock.pass(11 * HOUR_MS);
      versions.push((await get()).status?.version);
    }
    await fairway.patch(clusters, 'demo', moved(clock.now()));
    await clock.pass(2 * HOUR_MS);

    expect(versions).toEqual(['1.50.2', '1.50.2', '1.50.2']);
    expect((await get()).status).toMatchObject({ version: '1.51.2', forcedUpgrade: { from: '1.50.2' } });
  });

  test('is upgraded including its nodes, regardless of updatePolicy', async () => {
    const { clock, fairway, endMs, get, create, stopUntil } = await start(policy(), { nodesJoin: false });
    await using _ = fairway;
    joinOnceActive(fairway);
    await create({ updatePolicy: 'NeverUpdate' });
    await clock.during(fairway.createPool({ replicas: 2 }));
    await clock.pass(10 * MINUTE_MS);
    expect((await get()).status?.nodes).toMatchObject({ ready: 2, oldestVersion: '1.50.2' });

    await stopUntil(gracePeriodEnd(endMs) - 5 * MINUTE_MS);
    expect((await fairway.machines()).map(({ spec }) => spec.version)).toEqual(['1.50.2', '1.50.2']);
    await clock.pass(HOUR_MS);

    expect((await get()).status).toMatchObject({
      version: '1.51.2',
      upToDate: true,
      nodes: { ready: 2, oldestVersion: '1.51.2' },
    });
    expect((await fairway.machines()).map(({ status }) => status?.version)).toEqual(['1.51.2', '1.51.2']);
  });

  test('is upgraded by one minor version at a time, and reports each', async () => {
    const { clock, fairway, endMs, get, events, create, stopUntil, change } = await start();
    await using _ = fairway;
    await create();
    await change({ spec: { endOfLife: dayOf(endMs), ...policy() } }, '1.51');
    await fairway.create(kubernetesReleases, aRelease('1.52'));
    await stopUntil(gracePeriodEnd(endMs));
    await clock.pass(20 * MINUTE_MS);

    const { status } = await get();
    expect(status?.version).toBe('1.51.2');
    const reportedMs = Date.parse(status?.endOfLife?.upgrade?.time ?? '');
    expect(status?.endOfLife).toMatchObject({ minor: '1.51', notice: 0, upgrade: { to: '1.52' } });
    expect(reportedMs).toBeGreaterThanOrEqual(gracePeriodEnd(endMs) + 14 * DAY_MS);

    await stopUntil(reportedMs - 5 * MINUTE_MS);
    expect((await get()).status?.version).toBe('1.51.2');
    await clock.pass(20 * MINUTE_MS);
    expect((await get()).status).toMatchObject({
      version: '1.52.2',
      forcedUpgrade: { from: '1.51.2', to: '1.52.2', asked: '1.50' },
    });
    expect(await events()).toEqual([
      '1: ForcedUpgradePlanned',
      '1: ForcedUpgradePlanned',
      '1: ForcedUpgradeStarted',
      '1: ForcedUpgradeStarted',
    ]);
  });
});

describe('a forced upgrade skips', () => {
  test('clusters that are exempt, hibernated, or already upgraded by their users', async () => {
    const { clock, fairway, endMs, get, condition, create, stopUntil } = await start(
      policy({ exempt: [{ namespace: TEAM, name: 'spared' }] }),
    );
    await using _ = fairway;
    await create({}, 'spared');
    await create({}, 'asleep');
    await fairway.patch(clusters, 'asleep', { spec: { hibernation: { enabled: true } } });
    await create({}, 'early');
    expect((await condition('VersionSupported', 'spared'))?.message).toContain(
      'the operator has exempted it from the automatic upgrade',
    );
    await fairway.patch(clusters, 'early', { spec: { version: '1.51.0' } });
    await clock.pass(MINUTE_MS);

    await stopUntil(gracePeriodEnd(endMs) + HOUR_MS);
    await clock.pass(10 * MINUTE_MS);
    expect((await get('spared')).status).toMatchObject({ version: '1.50.2' });
    expect((await get('spared')).status?.endOfLife?.upgrade).toBeUndefined();
    expect((await get('early')).status).toMatchObject({ version: '1.51.0' });
    expect((await get('early')).status?.forcedUpgrade).toBeUndefined();
    expect((await get('asleep')).status).toMatchObject({ version: '1.50.2' });
    expect(await condition('UpToDate', 'asleep')).toMatchObject({ reason: 'Hibernated' });

    await fairway.patch(clusters, 'asleep', { spec: { hibernation: { enabled: false } } });
    await clock.pass(10 * MINUTE_MS);
    expect((await get('asleep')).status).toMatchObject({ version: '1.51.2', forcedUpgrade: { from: '1.50.2' } });
  });

  test('a cluster whose upgrade the operator postpones before it starts, and reports the new date', async () => {
    const { clock, fairway, endMs, get, events, create, stopUntil, change } = await start();
    await using _ = fairway;
    await create();
    await stopUntil(gracePeriodEnd(endMs) - 5 * MINUTE_MS);
    await change({ spec: { endOfLife: dayOf(endMs + 7 * DAY_MS) } });
    await clock.pass(HOUR_MS);
    const later = formatTime(gracePeriodEnd(endMs) + 7 * DAY_MS);
    expect((await get()).status).toMatchObject({ version: '1.50.2', endOfLife: { upgrade: { time: later } } });

    await change({ spec: { forcedUpgrade: null } });
    await clock.pass(MINUTE_MS);
    expect((await get()).status?.endOfLife?.upgrade).toBeUndefined();
    await stopUntil(gracePeriodEnd(endMs) + 8 * DAY_MS);
    await clock.pass(HOUR_MS);

    expect((await get()).status).toMatchObject({ version: '1.50.2' });
    expect(await events()).toEqual(['1: ForcedUpgradePlanned', '1: ForcedUpgradePlanned', '1: ForcedUpgradeWithdrawn']);
  });

  test('a paused cluster, which is counted, and is upgraded when it is resumed', async () => {
    const { clock, fairway, endMs, get, release, create, stopUntil } = await start();
    await using _ = fairway;
    await create();
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/paused': '' } } });
    await stopUntil(gracePeriodEnd(endMs) + HOUR_MS);
    await clock.pass(HOUR_MS);
    expect((await get()).status?.version).toBe('1.50.2');
    const { status } = await release();
    expect(status?.forcedUpgrade).toMatchObject({ waiting: 1, paused: 1 });
    expect(findCondition(status?.conditions, 'EndOfLifeEnforced')?.message).toContain('1 cluster paused by the user');

    await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/paused': null } } });
    await clock.pass(10 * MINUTE_MS);
    expect((await get()).status).toMatchObject({ version: '1.51.2' });
  });
});

describe('many clusters', () => {
  const names = ['a', 'b', 'c', 'd'];
  const running = async (get: (name: string) => Promise<Cluster>) =>
    Promise.all(names.map(async (name) => (await get(name)).status?.version));

  test('are upgraded in batches, canaries first, and stop when one fails', async () => {
    const canarySelector = { matchLabels: { stage: 'canary' } };
    const { clock, fairway, endMs, get, condition, release, create, stopUntil } = await start({
      ...policy(),
      rollout: { ...quickRollout.rollout, canarySelector },
    });
    await using _ = fairway;
    for (const name of names) await create({}, name);
    await fairway.patch(clusters, 'c', { metadata: { labels: { stage: 'canary' } } });
    await clock.pass(MINUTE_MS);
    fairway.runtime.broken.add('1.51.2');
    await stopUntil(gracePeriodEnd(endMs) + 5 * MINUTE_MS);
    await clock.pass(20 * MINUTE_MS);

    const halted = await release();
    expect(halted.status?.forcedUpgrade?.state).toBe('Halted');
    expect(halted.status?.forcedUpgrade).toMatchObject({ failed: [{ name: 'c' }], waiting: 3, moving: [] });
    expect(findCondition(halted.status?.conditions, 'EndOfLifeEnforced')).toMatchObject({ reason: 'RolloutHalted' });
    expect(await running(get)).toEqual(['1.50.2', '1.50.2', '1.51.2', '1.50.2']);
    expect(await condition('UpToDate', 'a')).toMatchObject({ reason: 'RolloutHalted' });

    fairway.runtime.broken.delete('1.51.2');
    await clock.pass(20 * MINUTE_MS);
    expect(await running(get)).toEqual(names.map(() => '1.51.2'));
    expect((await release()).status?.forcedUpgrade).toMatchObject({
      state: 'Complete',
      total: 4,
      updated: 4,
      failed: [],
    });
  });

  test('get their full notice period even if Fairway was down in the meantime, or its API accepted no writes', async () => {
    let isUnavailable = false;
    const { clock, fairway, endMs, release, create, stopUntil } = await start(policy(), {
      apiFaults: ({ method }) => (isUnavailable && method !== 'GET' ? { kind: 'answer', status: 503 } : undefined),
    });
    await using _ = fairway;
    await create();
    fairway.runtime.broken.add('1.51.2');
    await stopUntil(gracePeriodEnd(endMs));
    const rolloutStateNow = async () => (await release()).status?.forcedUpgrade?.state;
    await clock.pass(8 * MINUTE_MS);
    const states = [await rolloutStateNow()];

    await stopUntil(clock.now() + HOUR_MS);
    await clock.pass(8 * MINUTE_MS);
    states.push(await rolloutStateNow());
    isUnavailable = true;
    await clock.pass(30 * MINUTE_MS);
    isUnavailable = false;
    await clock.pass(8 * MINUTE_MS);
    states.push(await rolloutStateNow());
    await clock.pass(20 * MINUTE_MS);

    expect(states).toEqual(['Rolling', 'Rolling', 'Rolling']);
    expect(await rolloutStateNow()).toBe('Halted');
  });

  test('continue without a cluster whose credential is removed during its upgrade', async () => {
    const { clock, fairway, endMs, get, release, create, stopUntil } = await start({ ...policy(), ...quickRollout });
    await using _ = fairway;
    for (const name of names) await create({}, name);
    fairway.runtime.broken.add('1.51.2');
    await stopUntil(gracePeriodEnd(endMs) + MINUTE_MS);
    const [first] = (await release()).status?.forcedUpgrade?.moving ?? [];
    if (first === undefined) throw new Error('nobody has a turn');
    await fairway.patch(clusters, first.name, { spec: { credentialName: 'gone' } });
    await clock.pass(MINUTE_MS);
    fairway.runtime.broken.delete('1.51.2');
    await clock.pass(20 * MINUTE_MS);

    const conditions = (await get(first.name)).status?.conditions;
    expect(findCondition(conditions, 'ControlPlaneReady')).toMatchObject({ reason: 'CredentialInvalid' });
    expect((await release()).status?.forcedUpgrade).toMatchObject({ failed: [], moving: [] });
    for (const name of names.filter((each) => each !== first.name))
      expect((await get(name)).status).toMatchObject({ version: '1.51.2', phase: 'Ready' });
  });
});

test('a day without responses from Fairway’s own API costs few calls, and the upgrade follows once it responds', async () => {
  const faults = { isAway: false, calls: 0 };
  const { clock, fairway, endMs, get, create, stopUntil } = await start(policy(), {
    apiFaults: ({ method, path }) => {
      if (!faults.isAway || method === 'GET' || !/\/(clusters|kubernetesreleases)\//.test(path)) return undefined;
      faults.calls += 1;
      return { kind: 'answer', status: 503 };
    },
  });
  await using _ = fairway;
  await create();
  await stopUntil(gracePeriodEnd(endMs) - HOUR_MS);

  faults.isAway = true;
  await clock.pass(DAY_MS);
  expect((await get()).status?.version).toBe('1.50.2');
  expect(faults.calls / (24 * 60)).toBeLessThan(3);
  faults.isAway = false;
  await clock.pass(HOUR_MS);

  expect((await get()).status).toMatchObject({ version: '1.51.2', forcedUpgrade: { from: '1.50.2' } });
  const { resourceVersion } = (await get()).metadata;
  await clock.pass(3 * HOUR_MS);
  expect((await get()).metadata.resourceVersion).toBe(resourceVersion);
});

test('a scheduled time that cannot be stored is reported at most once an hour', async () => {
  const faults = { isAway: false, calls: 0 };
  const { clock, fairway, get, events, create, change } = await start(
    {},
    {
      apiFaults: ({ method, path }) => {
        if (!faults.isAway || method === 'GET' || !/\/clusters\//.test(path)) return undefined;
        faults.calls += 1;
        return { kind: 'answer', status: 503 };
      },
    },
  );
  await using _ = fairway;
  await create();
  faults.isAway = true;
  // Longer than the grace period, which starts over with each attempt.
  await change({ spec: policy({ notice: '2160h' }) });
  await clock.pass(3 * HOUR_MS);

  expect(faults.calls).toBeGreaterThan(20);
  expect((await events()).length).toBeLessThanOrEqual(4);
  faults.isAway = false;
  await clock.pass(HOUR_MS);
  expect((await get()).status?.endOfLife?.upgrade?.to).toBe('1.51');
});
