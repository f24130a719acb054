import type { Cluster, ClusterStatus, NewCluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { aCluster } from '@fairway/api/testing/objects';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { chooseVersion } from './version-choice.ts';
import type { NodeVersion } from './version-facts.ts';

const NOW = Date.UTC(2026, 10, 25, 3);
const UID = 'uid-demo';
const turn = { namespace: 'team', name: 'demo', uid: UID, since: '2026-11-22T00:00:00Z' };
const rollout: RolloutStatus = {
  version: '1.36',
  state: 'Rolling',
  summary: '',
  total: 2,
  updated: 0,
  waiting: 1,
  moving: [turn],
  failed: [],
};
const statusWithNotice = (time: string): ClusterStatus => ({
  version: '1.35.1',
  desiredVersion: '1.35.1',
  endOfLife: {
    minor: '1.35',
    date: '2026-10-01',
    notice: 0,
    noticeTime: '2026-10-01T00:00:00Z',
    upgrade: { to: '1.36', time },
  },
});
const due = statusWithNotice('2026-11-20T00:00:00Z');
/** From Wednesday 02:30 UTC for two hours. */
const window = { days: ['Wednesday' as const], start: '02:30', duration: '2h', timeZone: 'UTC' };
const forcedUpgrade = { gracePeriod: '336h', notice: '336h', exempt: [] };

interface Options {
  readonly spec?: NewCluster['spec'];
  readonly status?: ClusterStatus;
  readonly rolloutStatus?: Partial<RolloutStatus>;
  readonly next?: readonly KubernetesRelease[];
  readonly nodes?: readonly NodeVersion[];
  readonly nowMs?: number;
}

function choose({
  spec = {},
  status = due,
  rolloutStatus,
  next = [aRelease('1.36')],
  nodes = [],
  nowMs = NOW,
}: Options) {
  const ended = aRelease('1.35', { endOfLife: '2026-10-01', forcedUpgrade }, [1]);
  const of: Cluster = { ...aCluster({ version: '1.35', ...spec }, { name: 'demo', uid: UID }), status };
  const releases = [{ ...ended, status: { forcedUpgrade: { ...rollout, ...rolloutStatus } } }, ...next];
  return chooseVersion({ cluster: of, releases, nodes: () => nodes, isSeamless: false, nowMs });
}

const startedUpgrade = {
  version: '1.36.2',
  waiting: {
    reason: 'Updating',
    message:
      'the control plane is being updated from 1.35.1 to 1.36.2, because Kubernetes 1.35 has reached its end of life',
  },
  forced: { from: '1.35.1', to: '1.36.2', time: formatTime(NOW), asked: '1.35' },
};
/** The state after clusters on 1.36 have failed at 1.36.2. */
const halted = (patches: readonly number[]): KubernetesRelease => ({
  ...aRelease('1.36', {}, patches),
  status: { rollout: { ...rollout, version: '1.36.2', state: 'Halted' } },
});
const unchanged = (reason: string, ...words: readonly string[]) => ({
  version: '1.35.1',
  waiting: { reason, message: expect.stringMatching(words.join('.*')) },
  forced: undefined,
});

describe('a cluster on 1.35.1 after its end of life', () => {
  test.each<Options & { reason: string; gets: object }>([
    { reason: 'is upgraded in its slot and window', spec: { maintenance: { window } }, gets: startedUpgrade },
    { reason: 'is upgraded regardless of updatePolicy', spec: { updatePolicy: 'NeverUpdate' }, gets: startedUpgrade },
    {
      reason: 'is upgraded even from an exact version',
      spec: { version: '1.35.1' },
      gets: { ...startedUpgrade, forced: { ...startedUpgrade.forced, asked: '1.35.1' } },
    },
    {
      reason: 'is not upgraded before the announced time',
      status: statusWithNotice('2026-11-26T00:00:00Z'),
      gets: { version: '1.35.1', waiting: undefined },
    },
    {
      reason: 'is not upgraded before its slot',
      rolloutStatus: { moving: [] },
      gets: unchanged('WaitingForRollout', '1.35 has reached its end of life', '1.36'),
    },
    {
      reason: 'is not upgraded in a slot of another minor version',
      rolloutStatus: { version: '1.37' },
      gets: unchanged('WaitingForRollout'),
    },
    {
      reason: 'is not upgraded while the rollout is stopped',
      rolloutStatus: { state: 'Halted', moving: [] },
      gets: unchanged('RolloutHalted', 'has stopped after failures'),
    },
    {
      reason: 'is not upgraded while the rollout is paused',
      rolloutStatus: { state: 'Paused', moving: [] },
      gets: unchanged('RolloutHalted', 'is paused by the operator'),
    },
    {
      reason: 'is not upgraded outside of its window',
      spec: { maintenance: { window } },
      nowMs: NOW + 3 * 3_600_000,
      gets: unchanged('WaitingForMaintenanceWindow', '1.36.2 is waiting', '2026-12-02T02:30:00Z'),
    },
    {
      reason: 'is not upgraded with nodes that are too old',
      nodes: [{ name: 'a', pool: 'general', version: '1.32.0' }],
      gets: unchanged('NodesTooOld', 'a \\(1.32.0\\), in pool general'),
    },
    {
      reason: 'is not upgraded while hibernated',
      status: { ...due, hibernation: { wanted: true, wantedSince: '2026-11-24T00:00:00Z', hibernated: true } },
      gets: unchanged('Hibernated', '1.36.2 when the cluster wakes'),
    },
    {
      reason: 'is not upgraded to a preview',
      next: [aRelease('1.36', { phaseOverride: 'Preview' })],
      gets: unchanged('VersionNotOffered'),
    },
    {
      reason: 'is upgraded to a version that has reached its end of life',
      next: [aRelease('1.36', { phaseOverride: 'EndOfLife' })],
      gets: startedUpgrade,
    },
    {
      reason: 'is not upgraded to a patch at which others have failed',
      next: [halted([2])],
      gets: unchanged('VersionNotOffered', 'operator'),
    },
    {
      reason: 'is upgraded to the patch before one at which others have failed',
      next: [halted([1, 2])],
      gets: { version: '1.36.1', forced: { to: '1.36.1' } },
    },
    {
      reason: 'is not upgraded to a version that does not exist',
      next: [],
      gets: unchanged('VersionNotOffered', 'operator'),
    },
    {
      reason: 'follows its user’s version in the meantime',
      spec: { version: '1.36.0' },
      gets: { version: '1.36.0', forced: undefined },
    },
  ])('$reason', ({ gets, ...options }) => {
    expect(choose(options)).toMatchObject(gets);
  });

  test('continues an upgrade that has started, regardless of slot, window and policy', () => {
    const forced = { ...startedUpgrade.forced, time: '2026-11-24T00:00:00Z' };
    const status = { ...due, desiredVersion: '1.36.2', forcedUpgrade: forced };
    const maintenance = { window };

    expect(
      choose({
        status,
        rolloutStatus: { moving: [], state: 'Halted' },
        spec: { maintenance },
        nowMs: NOW + 86_400_000,
      }),
    ).toMatchObject({ ...startedUpgrade, forced });
  });

  test('does not report an upgrade to a version that was withdrawn before it ran', () => {
    const status = { ...due, desiredVersion: '1.36.2', forcedUpgrade: startedUpgrade.forced };
    const withdrawn = aRelease('1.36', { patches: [{ version: '1.36.2', withdrawn: true }] });

    expect(choose({ status, next: [withdrawn] })).toMatchObject({ version: '1.35.1', forced: undefined });
  });
});

describe('a cluster upgraded automatically to 1.36.1', () => {
  const status: ClusterStatus = {
    version: '1.36.1',
    desiredVersion: '1.36.1',
    forcedUpgrade: { from: '1.35.1', to: '1.36.1', time: '2026-11-24T00:00:00Z', asked: '1.35' },
  };
  const next = [{ ...aRelease('1.36'), status: { rollout: { ...rollout, version: '1.36.2' } } }, aRelease('1.37')];

  test('is not downgraded, and receives patches of 1.36 in its slot', () => {
    expect(choose({ status, next })).toMatchObject({ version: '1.36.2', forced: status.forcedUpgrade });
    expect(choose({ status, next: [aRelease('1.36', {}, [1])] })).toMatchObject({
      version: '1.36.1',
      waiting: undefined,
      forced: status.forcedUpgrade,
    });
  });

  test('drops the record of the upgrade when it moves to 1.37', () => {
    expect(choose({ status, next, spec: { version: '1.37' } })).toMatchObject({ version: '1.37.2', forced: undefined });
  });
});
