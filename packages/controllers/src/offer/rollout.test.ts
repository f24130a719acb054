import { maintenanceGate } from '@fairway/api/domain/maintenance-gate';
import type { Cluster, NewCluster } from '@fairway/api/kinds/cluster';
import { type RolloutSettings, type RolloutStatus, rolloutSpec } from '@fairway/api/kinds/rollout';
import { aCluster } from '@fairway/api/testing/objects';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { nextOpeningMs, nextRollout, patchFollowers, type RolloutFacts, rolloutSettings } from './rollout.ts';
import { nextSlotEndMs } from './rollout-slot.ts';

const NOW = Date.UTC(2026, 10, 22);
const MINUTE = 60_000;
const OLD = '1.35.1';
const NEW = '1.35.2';

interface RolloutPosition {
  readonly version?: string;
  /** The result of the decision. */
  readonly desired?: string;
  readonly ready?: boolean;
  readonly controlPlane?: boolean;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: NewCluster['spec'];
}

function cluster(
  name: string,
  { version = OLD, desired = version, ready = true, controlPlane = true, ...rest }: RolloutPosition = {},
): Cluster {
  const condition = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? ('True' as const) : ('False' as const),
    reason: 'x',
    message: isTrue ? '' : 'the API server is away',
    lastTransitionTime: formatTime(NOW),
  });
  const { spec = {}, ...metadata } = rest;
  const conditions = [condition('ControlPlaneReady', controlPlane), condition('Ready', ready)];
  return {
    ...aCluster(spec, { name, namespace: 'team', uid: name, ...metadata }),
    status: { version, desiredVersion: desired, conditions },
  };
}

const newClusters = (count: number, position: RolloutPosition = {}) =>
  Array.from({ length: count }, (_, index) => cluster(`c${String(index).padStart(4, '0')}`, position));

interface Options extends Partial<Omit<RolloutFacts, 'settings'>> {
  readonly settings?: Partial<RolloutSettings>;
}

function step(followers: readonly Cluster[], { settings, ...options }: Options = {}): RolloutStatus {
  return nextRollout({
    settings: rolloutSettings(aRelease('1.35', { rollout: { ...rolloutSpec.parse({}), ...settings } })),
    target: NEW,
    followers,
    gateOf: maintenanceGate,
    previous: undefined,
    retryRequested: undefined,
    watchedSinceMs: NOW,
    nowMs: NOW,
    ...options,
  });
}

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
const at = (clusters: readonly Cluster[], done: readonly string[], position: RolloutPosition = {}) =>
  clusters.map((one) =>
    done.includes(one.metadata.name ?? '')
      ? cluster(one.metadata.name ?? '', { version: NEW, ...position, labels: one.metadata.labels ?? {} })
      : one,
  );

const started = (clusters: readonly Cluster[], moving: readonly string[]) =>
  at(clusters, moving, { version: OLD, desired: NEW });

describe('the number of concurrent updates', () => {
  test.each([
    { count: 3, moving: 1, reason: 'at least one' },
    { count: 50, moving: 5, reason: 'ten percent' },
    { count: 1000, moving: 20, reason: 'at most twenty' },
    {
      count: 1000,
      settings: { maxConcurrent: 100, maxPercent: 100 },
      moving: 100,
      reason: 'is limited by the operator',
    },
    { count: 10, settings: { maxPercent: 35 }, moving: 3, reason: 'rounded down' },
  ])('is $moving for $count clusters: $reason', ({ count, settings = {}, moving }) => {
    const rollout = step(newClusters(count), { settings });

    expect(rollout.moving).toHaveLength(moving);
    expect(rollout).toMatchObject({ state: 'Rolling', total: count, updated: 0, waiting: count - moving });
  });

  test('the next cluster starts only when the previous one is ready', () => {
    const clusters = newClusters(3);
    const first = step(clusters);
    const [moved = ''] = names(first.moving);
    const stillUnready = step(at(clusters, [moved], { controlPlane: false }), { previous: first });
    const done = step(at(clusters, [moved]), { previous: first });

    expect(names(stillUnready.moving)).toEqual([moved]);
    expect(names(done.moving)).toEqual([expect.not.stringMatching(moved)]);
    expect(done).toMatchObject({ updated: 1, waiting: 1, summary: '1.35.2 1/3' });
  });

  test('all clusters are updated eventually', () => {
    let clusters: readonly Cluster[] = newClusters(25);
    let rollout = step(clusters);
    let most = 0;
    for (let slot = 0; slot < 25 && rollout.state !== 'Complete'; slot += 1) {
      most = Math.max(most, rollout.moving.length);
      clusters = at(clusters, names(rollout.moving));
      rollout = step(clusters, { previous: rollout });
    }

    expect(most).toBe(2);
    expect(rollout).toMatchObject({ state: 'Complete', updated: 25, waiting: 0, moving: [], failed: [] });
  });
});

describe('the clusters of a rollout', () => {
  const settings = { maxPercent: 100 };

  test('exclude those that opted out of patches, are paused, or have a broken control plane', () => {
    const users = [
      cluster('always'),
      cluster('never', { spec: { updatePolicy: 'NeverUpdate' } }),
      cluster('careful', { spec: { updatePolicy: 'MinimalDowntime' } }),
      cluster('exact', { spec: { version: OLD } }),
      cluster('paused', { annotations: { 'fairway.dev/paused': '' } }),
      cluster('broken', { controlPlane: false, ready: false }),
    ];
    const rollout = step(patchFollowers(users, '1.35', false), { settings });

    expect(names(rollout.moving)).toEqual(['always']);
    expect(rollout).toMatchObject({ total: 3, waiting: 2 });
  });

  test('exclude those with MinimalDowntime if an update causes downtime', () => {
    const carefulCluster = cluster('careful', { spec: { updatePolicy: 'MinimalDowntime' } });

    expect(names(step(patchFollowers([carefulCluster], '1.35', true)).moving)).toEqual(['careful']);
  });

  test('include those that are not Ready, but last', () => {
    const clusters = [cluster('a', { ready: false }), cluster('b')];
    const first = step(clusters);
    const second = step(at(clusters, ['b']), { previous: first });

    expect([names(first.moving), names(second.moving)]).toEqual([['b'], ['a']]);
  });

  test('include those whose tenants have broken their nodes, without delaying others', () => {
    const clusters = [cluster('a'), cluster('b')];
    const first = step(clusters);
    const moved = names(first.moving);
    const next = step(at(clusters, moved, { ready: false }), { previous: first, nowMs: NOW + 15 * MINUTE });

    expect(next).toMatchObject({ state: 'Rolling', failed: [] });
    expect(names(next.moving)).not.toEqual(moved);
  });

  test('exclude those that are being deleted, paused, or request an exact version', () => {
    const first = step([cluster('a')]);

    expect(step([], { previous: first }).moving).toEqual([]);
    expect(step([cluster('a', { annotations: { 'fairway.dev/paused': '' } })], { previous: first }).moving).toEqual([]);
  });
});

describe('canaries', () => {
  const canary = { labels: { stage: 'canary' } };
  const clusters = [cluster('a'), cluster('y', canary), cluster('z', canary)];
  const settings = { maxPercent: 100, maxFailures: 5, canarySelector: { matchLabels: { stage: 'canary' } } };

  test('start first, and all others wait until they are ready', () => {
    const first = step(clusters, { settings });
    const half = step(at(clusters, ['y']), { settings, previous: first });
    const all = step(at(clusters, ['y', 'z']), { settings, previous: half });

    expect(first).toMatchObject({ state: 'Canaries', moving: [{ name: 'y' }, { name: 'z' }] });
    expect(names(half.moving)).toEqual(['z']);
    expect(all).toMatchObject({ state: 'Rolling', moving: [{ name: 'a' }] });
  });

  test('stop the rollout if one fails', () => {
    const first = step(clusters, { settings });
    const moving = started(clusters, ['y', 'z']);
    const late = step(at(moving, ['y'], { controlPlane: false }), {
      settings,
      previous: step(moving, { settings, previous: first }),
      nowMs: NOW + 15 * MINUTE,
    });

    expect(late).toMatchObject({ state: 'Halted', moving: [], waiting: 1 });
    expect(names(late.failed).sort()).toEqual(['y', 'z']);
  });

  test('do not exist if the selector has no labels', () => {
    const none = { ...settings, canarySelector: { matchLabels: {} } };

    expect(step(clusters, { settings: none }).moving).toHaveLength(3);
  });
});

describe('failures of a rollout', () => {
  const settings = { maxPercent: 100, maxConcurrent: 2, maxFailures: 2 };
  const idle = newClusters(30);
  const chosen = step(idle, { settings });
  const later = NOW + 15 * MINUTE;
  const [one = '', two = ''] = names(chosen.moving);
  const clusters = started(idle, [one, two]);
  const first = step(clusters, { settings, previous: chosen });

  test('are reported with the cluster’s message, and stop the rollout at the limit', () => {
    const single = step(at(clusters, [two]), { settings, previous: first, nowMs: later });
    const halted = step(clusters, { settings, previous: first, nowMs: later });

    expect(single).toMatchObject({ state: 'Rolling', failed: [{ name: one, message: `still runs ${OLD}` }] });
    expect(single.moving).toHaveLength(2);
    expect(halted).toMatchObject({ state: 'Halted', moving: [], summary: '1.35.2 0/30 Halted' });
    expect(step(clusters, { settings, previous: halted, nowMs: later + MINUTE })).toEqual(halted);
  });

  test('are counted only after the operator’s timeout', () => {
    const longTimeoutSettings = { ...settings, timeout: '1h' };
    const after = (minutes: number) =>
      step(clusters, { settings: longTimeoutSettings, previous: first, nowMs: NOW + minutes * MINUTE }).failed.length;

    expect([after(59), after(60)]).toEqual([0, 2]);
  });

  test.each([
    { reason: 'a cluster whose start was observed late', begunAt: 10, watchedFrom: 0, fails: 25 },
    { reason: 'a Fairway that was down', begunAt: 0, watchedFrom: 40, fails: 55 },
  ])('do not count time in which Fairway was not watching: $reason', ({ begunAt, watchedFrom, fails }) => {
    const seen = step(clusters, { settings, previous: chosen, nowMs: NOW + begunAt * MINUTE });
    const after = (minutes: number) =>
      step(clusters, {
        settings,
        previous: seen,
        watchedSinceMs: NOW + watchedFrom * MINUTE,
        nowMs: NOW + minutes * MINUTE,
      }).failed.length;

    expect([after(fails - 1), after(fails)]).toEqual([0, 2]);
  });

  test('do not include a cluster that has not started, which is queued again at the end', () => {
    const half = started(idle, [two]);
    const seen = step(half, { settings, previous: chosen });
    const next = step(half, { settings, previous: seen, nowMs: later });
    const singleRollout = step([cluster('a')], { previous: step([cluster('a')]), nowMs: later });

    expect(names(next.failed)).toEqual([two]);
    expect(names(next.moving)).not.toContain(one);
    expect(next.moving).toHaveLength(2);
    expect(singleRollout).toMatchObject({ failed: [], moving: [{ name: 'a', since: formatTime(later) }] });
  });

  test('include a patch that breaks the control plane even if it runs the version', () => {
    const broken = at(clusters, [one, two], { controlPlane: false });
    const halted = step(broken, { settings, previous: first, nowMs: later });

    expect(halted).toMatchObject({ state: 'Halted', updated: 2 });
    expect(halted.failed[0]?.message).toBe('runs 1.35.2, but its control plane is not ready: the API server is away');
  });

  test.each(['CredentialInvalid', 'DatabaseFull'])(
    'do not include problems that only a tenant can cause: %s',
    (reason) => {
      const stopped = (isReady: boolean, version: string) => (each: Cluster) => {
        if (each.metadata.name !== one) return each;
        const [controlPlane, ready] = cluster(one, { controlPlane: isReady }).status?.conditions ?? [];
        if (!controlPlane || !ready) throw new Error('a cluster has both conditions');
        return { ...each, status: { version, conditions: [{ ...controlPlane, reason }, ready] } };
      };
      const after = (position: (each: Cluster) => Cluster) =>
        step(at(clusters, [two]).map(position), { settings, previous: first, nowMs: later });

      for (const version of [OLD, NEW]) {
        const rollout = after(stopped(false, version));
        expect(rollout).toMatchObject({ state: 'Rolling', failed: [] });
        expect(names(rollout.moving)).not.toContain(one);
      }
      expect(names(after(stopped(true, OLD)).failed)).toEqual([one]);
    },
  );

  test('are cleared once the clusters become ready or are deleted', () => {
    const halted = step(clusters, { settings, previous: first, nowMs: later });

    expect(step(at(clusters, [one, two]), { settings, previous: halted, nowMs: later })).toMatchObject({
      state: 'Rolling',
      failed: [],
    });
    const left = clusters.filter(({ metadata }) => metadata.name !== one);
    expect(step(left, { settings, previous: halted, nowMs: later }).state).toBe('Rolling');
  });

  // A value may be longer than the part that is stored.
  test.each(['now', 'x'.repeat(300)])('are retried when the operator requests it, once for each request', (word) => {
    const halted = step(clusters, { settings, previous: first, nowMs: later });
    const requested = { settings, retryRequested: word, nowMs: later };
    const retriedRollout = step(clusters, { ...requested, previous: halted });
    const going = step(clusters, { ...requested, previous: retriedRollout });

    expect(retriedRollout).toMatchObject({ state: 'Rolling', failed: [], retried: word.slice(0, 256) });
    expect(names(retriedRollout.moving)).toEqual([one, two]);
    const again = { ...requested, nowMs: later + 15 * MINUTE };
    const secondHalt = step(clusters, { ...again, previous: going });
    expect(secondHalt.state).toBe('Halted');
    expect(step(clusters, { ...again, previous: secondHalt })).toEqual(secondHalt);
  });

  test.each([
    { reason: 'the annotation is removed', word: undefined },
    { reason: 'an earlier value is applied again', word: '2026-06-01T12:00:00Z' },
  ])('do not repeat a completed retry if $reason', ({ word }) => {
    const last = '2026-06-02T12:00:00Z';
    const halted = { ...step(clusters, { settings, previous: first, nowMs: later }), retried: last };

    expect(step(clusters, { settings, previous: halted, retryRequested: word, nowMs: later })).toEqual(halted);
  });

  test('are cleared by a newer patch', () => {
    const halted = step(clusters, { settings, previous: first, nowMs: later });
    const next = step(clusters, { settings, previous: halted, nowMs: later, target: '1.35.3' });

    expect(next).toMatchObject({ version: '1.35.3', state: 'Rolling', failed: [] });
    expect(next.moving).toHaveLength(2);
  });
});

test('a paused rollout does not start clusters, and completes those in progress', () => {
  const clusters = newClusters(30);
  const first = step(clusters);
  const paused = step(clusters, { previous: first, settings: { paused: true } });

  expect(paused).toMatchObject({ state: 'Paused', moving: first.moving });
  expect(step(at(clusters, names(first.moving)), { previous: paused, settings: { paused: true } }).moving).toEqual([]);
});

test('the lists are bounded, regardless of how many clusters exist and fail', () => {
  const settings = { maxConcurrent: 100, maxPercent: 100, maxFailures: 100 };
  const clusters = newClusters(5000).map(({ metadata }) => cluster(metadata.name ?? '', { desired: NEW }));
  let rollout = step(clusters, { settings });
  let nowMs = NOW;
  for (let slot = 0; slot < 5; slot += 1) {
    rollout = step(clusters, { settings, previous: rollout, nowMs });
    nowMs += 15 * MINUTE;
    rollout = step(clusters, { settings, previous: rollout, nowMs });
    expect(rollout.moving.length).toBeLessThanOrEqual(100);
    expect(rollout.failed.length).toBeLessThanOrEqual(200);
  }
  expect(rollout.state).toBe('Halted');
});

test('a restart between any two steps changes nothing: the step depends only on stored state', () => {
  const clusters = newClusters(40);
  const first = step(clusters);

  expect(step(clusters, { previous: JSON.parse(JSON.stringify(first)) })).toEqual(first);
  expect(nextSlotEndMs(first, rolloutSpec.parse({}), NOW)).toBe(NOW + 15 * MINUTE);
  expect(nextSlotEndMs(first, rolloutSpec.parse({}), NOW + MINUTE)).toBe(NOW + 16 * MINUTE);
  expect(nextSlotEndMs({ ...first, moving: [] }, rolloutSpec.parse({}), NOW)).toBeUndefined();
});

describe('maintenance windows in a rollout', () => {
  /** NOW is a Sunday. */
  const nightlyWindow = { maintenance: { window: { start: '02:30', duration: '1h' } } };
  const weeklyWindow = { maintenance: { window: { days: ['Wednesday' as const], start: '02:30', duration: '1h' } } };
  const OPEN = NOW + 150 * MINUTE;
  const settings = { maxPercent: 100, maxConcurrent: 1 };

  test('pass the slot to the next cluster, and do not make any cluster fail', () => {
    const waiting = cluster('a', { spec: nightlyWindow });
    const clusters = [waiting, cluster('b'), cluster('c')];
    const first = step(clusters, { settings });
    const second = step(at(clusters, ['b']), { settings, previous: first });
    const third = step(at(clusters, ['b', 'c']), { settings, previous: second, nowMs: NOW + 60 * MINUTE });

    expect([names(first.moving), names(second.moving), names(third.moving)]).toEqual([['b'], ['c'], []]);
    expect(third).toMatchObject({ state: 'Rolling', failed: [], waiting: 1, updated: 2 });
    expect(nextOpeningMs(third, clusters, maintenanceGate, NOW)).toBe(OPEN);
    expect(names(step(at(clusters, ['b', 'c']), { settings, previous: third, nowMs: OPEN }).moving)).toEqual(['a']);
  });

  test('do not delay other clusters if they belong to canaries: only canaries with an open window count as such', () => {
    const canary = { labels: { stage: 'canary' } };
    const canaries = { ...settings, canarySelector: { matchLabels: { stage: 'canary' } } };
    const clusters = [cluster('a'), cluster('y', { ...canary, spec: weeklyWindow }), cluster('z', canary)];
    const first = step(clusters, { settings: canaries });
    const second = step(at(clusters, ['z']), { settings: canaries, previous: first });

    expect(first).toMatchObject({ state: 'Canaries', moving: [{ name: 'z' }] });
    expect(second).toMatchObject({ state: 'Rolling', moving: [{ name: 'a' }] });
  });

  test('end a slot if they close before the cluster has started', () => {
    const one = cluster('a', { spec: nightlyWindow });
    const first = step([one], { settings, nowMs: OPEN + 59 * MINUTE });
    const closed = { settings, previous: first, nowMs: OPEN + 75 * MINUTE };
    const started = { ...one, status: { ...one.status, desiredVersion: NEW } };

    expect(names(first.moving)).toEqual(['a']);
    expect(step([one], closed)).toMatchObject({ moving: [], failed: [], waiting: 1 });
    const going = step([started], { ...closed, nowMs: OPEN + 60 * MINUTE });
    expect(names(going.moving)).toEqual(['a']);
    expect(names(step([started], { ...closed, previous: going }).failed)).toEqual(['a']);
  });

  test('are opened by a request', () => {
    const requested = cluster('a', { spec: weeklyWindow, annotations: { 'fairway.dev/maintenance-requested': 'now' } });

    expect(names(step([requested], { settings }).moving)).toEqual(['a']);
  });
});
