import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { aCluster } from '@fairway/api/testing/objects';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { expect, test } from 'vitest';
import { type ForcedRolloutFacts, nextForcedRollout, nextPlannedMs } from './forced-rollout.ts';

const NOW = Date.UTC(2026, 10, 22);
const DUE_TIME = '2026-11-20T00:00:00Z';

const condition = (type: string, status: 'True' | 'False', reason = 'x') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: formatTime(NOW),
});

function cluster(name: string, status: ClusterStatus = {}, more: Cluster['metadata'] = {}): Cluster {
  const endOfLife = {
    minor: '1.35',
    date: '2026-10-01',
    notice: 0,
    noticeTime: '2026-10-01T00:00:00Z',
    upgrade: { to: '1.36', time: DUE_TIME },
  };
  const conditions = [condition('ControlPlaneReady', 'True'), condition('Ready', 'True')];
  return {
    ...aCluster({}, { name, namespace: 'team', uid: name, ...more }),
    status: { version: '1.35.1', desiredVersion: '1.35.1', conditions, endOfLife, ...status },
  };
}

const forced = (name: string, version = '1.36.2', status: ClusterStatus = {}) =>
  cluster(name, {
    version,
    desiredVersion: version,
    forcedUpgrade: { from: '1.35.1', to: '1.36.2', time: DUE_TIME },
    ...status,
  });

function step(users: readonly Cluster[], more: Partial<ForcedRolloutFacts> & { previous?: RolloutStatus } = {}) {
  const { previous, ...rest } = more;
  const forcedUpgrade = { gracePeriod: '336h', notice: '336h', exempt: [] };
  const quickRollout = { maxConcurrent: 2, maxPercent: 100, maxFailures: 1, timeout: '15m', paused: false };
  const ended = aRelease('1.35', { endOfLife: '2026-10-01', forcedUpgrade, rollout: quickRollout });
  const release = { ...ended, status: previous === undefined ? {} : { forcedUpgrade: previous } };
  return nextForcedRollout({
    release,
    releases: [release, aRelease('1.36')],
    users,
    forced: [],
    watchedSinceMs: NOW,
    nowMs: NOW,
    ...rest,
  });
}

const withPrevious = (rollout: RolloutStatus | undefined) => (rollout === undefined ? {} : { previous: rollout });
const names = (rollout: RolloutStatus | undefined) => rollout?.moving.map(({ name }) => name);

test('due clusters are upgraded, as many at a time as the operator allows', () => {
  const later = cluster('later');
  if (later.status?.endOfLife) later.status.endOfLife.upgrade = { to: '1.36', time: '2026-11-23T00:00:00Z' };
  const rollout = step([cluster('a'), cluster('b'), cluster('c'), later]);

  expect(names(rollout)).toEqual(['a', 'b']);
  expect(rollout).toMatchObject({ version: '1.36', total: 3, updated: 0, waiting: 1, summary: '1.36 0/3' });
  expect(nextPlannedMs([cluster('a'), later], '1.35', NOW)).toBe(Date.UTC(2026, 10, 23));
  expect(nextPlannedMs([cluster('a')], '1.35', NOW)).toBeUndefined();
});

test.each([
  { reason: 'its nodes are too old', status: { conditions: [condition('UpToDate', 'False', 'NodesTooOld')] } },
  { reason: 'it hibernates', status: { hibernation: { wanted: true } } },
  {
    reason: 'it is being reset',
    status: { reset: { requestedAt: DUE_TIME, nodes: 'Delete', phase: 'RemovingNodes', since: DUE_TIME } },
  },
] as const)('a cluster that cannot start does not delay others, and loses its slot: $reason', ({ status }) => {
  const ready = [condition('ControlPlaneReady', 'True')];
  const conditions = [...ready, ...('conditions' in status ? status.conditions : [])];
  const held = cluster('a', { ...(status as ClusterStatus), conditions });
  const startedCluster = cluster('b', { desiredVersion: '1.36.2' });
  const previousRollout = step([cluster('a'), startedCluster], withPrevious(step([cluster('a'), cluster('b')])));
  const rollout = step([held, startedCluster, cluster('c')], {
    ...withPrevious(previousRollout),
    nowMs: NOW + 3_600_000,
  });

  expect(names(previousRollout)).toEqual(['a', 'b']);
  expect(rollout?.failed.map(({ name }) => name)).toEqual(['b']);
  expect(names(step([held, cluster('b'), cluster('c')]))).toEqual(['b', 'c']);
});

test('a missing target version does not make any cluster fail', () => {
  const release = step([cluster('a')]);
  const none = step([cluster('a')], { releases: [], ...withPrevious(release), nowMs: NOW + 3_600_000 });

  expect(none).toBeUndefined();
  const ended = aRelease('1.35', {
    endOfLife: '2026-10-01',
    forcedUpgrade: { gracePeriod: '336h', notice: '336h', exempt: [] },
  });
  const waiting = step([cluster('a')], {
    releases: [ended],
    ...withPrevious(release),
    nowMs: NOW + 3_600_000,
  });
  expect(waiting).toMatchObject({ moving: [], failed: [], waiting: 1 });
});

test('upgraded clusters are counted whatever their patch version, and count as failed if they do not work', () => {
  const broken = forced('d', '1.36.2', { conditions: [condition('ControlPlaneReady', 'False')] });
  const previous = step([], { forced: [broken], ...withPrevious(step([cluster('d')])) });
  const users = [cluster('a', {}, { deletionTimestamp: DUE_TIME })];
  const done = [forced('b', '1.36.0'), forced('c', '1.36.2'), broken];

  expect(step(users, { forced: done, ...withPrevious(previous) })).toMatchObject({
    total: 3,
    updated: 3,
    moving: [{ name: 'd' }],
    failed: [],
  });
  expect(step(users, { forced: done, ...withPrevious(previous), nowMs: NOW + 3_600_000 })).toMatchObject({
    state: 'Halted',
    failed: [{ name: 'd', message: 'runs 1.36.2, but its control plane is not ready' }],
  });
});

test('a release without clusters to upgrade has no rollout', () => {
  expect(step([])).toBeUndefined();
});
