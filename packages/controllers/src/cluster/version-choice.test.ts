import type { Cluster, ClusterStatus, NewCluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease, KubernetesReleaseStatus } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { aCluster } from '@fairway/api/testing/objects';
import { aRelease } from '@fairway/api/testing/releases';
import { describe, expect, test } from 'vitest';
import { chooseVersion } from './version-choice.ts';
import type { VersionFacts } from './version-facts.ts';

const NOW = Date.UTC(2026, 10, 22);
const UID = 'uid-demo';

function cluster(spec: NewCluster['spec'], status: ClusterStatus = {}): Cluster {
  return { ...aCluster(spec, { uid: UID }), status };
}

const idle: RolloutStatus = {
  version: '1.35.2',
  state: 'Rolling',
  summary: '',
  total: 2,
  updated: 0,
  waiting: 2,
  moving: [],
  failed: [],
};
const turn = { namespace: 'team', name: 'demo', uid: UID, since: '2026-11-22T00:00:00Z' };

function release(minor: string, status: KubernetesReleaseStatus = {}, withdrawn: readonly number[] = []) {
  const { patches } = aRelease(minor).spec;
  const marked = patches.map((patch, index) => ({ ...patch, withdrawn: withdrawn.includes(index) }));
  return { ...aRelease(minor, { patches: marked }), status };
}

function choose(of: Cluster, more: Partial<VersionFacts> & { rollout?: RolloutStatus } = {}) {
  const { rollout = idle, ...facts } = more;
  const releases: readonly KubernetesRelease[] = [release('1.34'), release('1.35', { rollout }), release('1.36')];
  return chooseVersion({ cluster: of, releases, nodes: () => [], isSeamless: false, nowMs: NOW, ...facts });
}

describe('a new cluster', () => {
  test.each([
    { version: undefined, gets: '1.36.2' },
    { version: '1.35', gets: '1.35.2' },
    { version: '1.35.0', gets: '1.35.0' },
  ])('that asks for $version gets $gets, whatever the policy', ({ version, gets }) => {
    for (const updatePolicy of ['AlwaysUpdate', 'MinimalDowntime', 'NeverUpdate'] as const) {
      const spec = { updatePolicy, ...(version !== undefined && { version }) };

      expect(choose(cluster(spec))).toEqual({ version: gets, waiting: undefined });
    }
  });

  test('keeps what was decided on while it starts, though a newer patch or minor version has come', () => {
    expect(choose(cluster({}, { desiredVersion: '1.35.1' })).version).toBe('1.35.1');
    expect(choose(cluster({ version: '1.35' }, { desiredVersion: '1.35.1' })).version).toBe('1.35.1');
  });

  test.each([
    { reason: 'another version is asked for', spec: { version: '1.34' }, gets: '1.34.2', withdrawn: [] },
    { reason: 'it has been withdrawn', spec: { version: '1.35' }, gets: '1.35.2', withdrawn: [1] },
  ])('but not if $reason', ({ spec, gets, withdrawn }) => {
    const releases = [release('1.34'), release('1.35', {}, withdrawn)];

    expect(choose(cluster(spec, { desiredVersion: '1.35.1' }), { releases }).version).toBe(gets);
  });

  test('waits for programs instead of failing', () => {
    const releases = [release('1.35', { available: [] })];

    expect(choose(cluster({ version: '1.35' }), { releases })).toMatchObject({
      version: undefined,
      waiting: { reason: 'ProgramsMissing', message: expect.stringContaining('fairway releases fetch 1.35.2') },
    });
  });
});

describe('a cluster that runs 1.35.1', () => {
  const running = { version: '1.35.1', desiredVersion: '1.35.1' };
  const mine = { ...idle, moving: [turn] };

  test.each([{ version: undefined }, { version: '1.35' }])('asking for $version: AlwaysUpdate queued', (spec) => {
    const of = cluster(spec.version === undefined ? {} : { version: spec.version }, running);

    expect(choose(of)).toMatchObject({ version: '1.35.1', waiting: { reason: 'WaitingForRollout' } });
    expect(choose(of, { rollout: mine })).toMatchObject({ version: '1.35.2', waiting: { reason: 'Updating' } });
  });

  test('never takes another minor version by itself', () => {
    expect(choose(cluster({}, { version: '1.35.2' }))).toEqual({ version: '1.35.2', waiting: undefined });
  });

  test.each([
    { updatePolicy: 'NeverUpdate' as const, isSeamless: false, takes: false },
    { updatePolicy: 'NeverUpdate' as const, isSeamless: true, takes: false },
    { updatePolicy: 'MinimalDowntime' as const, isSeamless: false, takes: false },
    { updatePolicy: 'MinimalDowntime' as const, isSeamless: true, takes: true },
  ])('$updatePolicy, seamless: $isSeamless, takes it in its turn: $takes', ({ updatePolicy, isSeamless, takes }) => {
    const choice = choose(cluster({ version: '1.35', updatePolicy }, running), { isSeamless, rollout: mine });

    expect(choice.version).toBe(takes ? '1.35.2' : '1.35.1');
    if (takes) return;
    expect(choice.waiting).toMatchObject({
      reason: 'UpdateAvailable',
      message: expect.stringContaining('set spec.version to 1.35.2 to install it'),
    });
  });

  test.each([
    {
      version: '1.35.2',
      gets: '1.35.2',
      reason: 'an exact version is taken at once, whatever the policy and the rollout',
    },
    { version: '1.35.1', gets: '1.35.1', reason: 'an exact version is never changed' },
    { version: '1.36', gets: '1.36.2', reason: 'so is another minor version' },
  ])('$version: $gets, since $reason', ({ version, gets }) => {
    const halted = { ...idle, state: 'Halted' as const };
    for (const updatePolicy of ['AlwaysUpdate', 'NeverUpdate'] as const) {
      expect(choose(cluster({ version, updatePolicy }, running), { rollout: halted }).version).toBe(gets);
    }
  });

  test.each([
    { state: 'Halted' as const, says: 'has stopped after failures' },
    { state: 'Paused' as const, says: 'is paused by the operator' },
  ])('is told that the rollout $says', ({ state, says }) => {
    expect(choose(cluster({}, running), { rollout: { ...idle, state } })).toMatchObject({
      version: '1.35.1',
      waiting: { reason: 'RolloutHalted', message: expect.stringContaining(says) },
    });
  });

  test('goes on with a patch that it has begun, when its turn has passed and the rollout has stopped', () => {
    const begun = { version: '1.35.1', desiredVersion: '1.35.2' };

    expect(choose(cluster({}, begun), { rollout: { ...idle, state: 'Halted' } }).version).toBe('1.35.2');
    expect(choose(cluster({ updatePolicy: 'NeverUpdate' }, begun)).version).toBe('1.35.2');
  });

  test('turns back from one that has been withdrawn before it ran', () => {
    const releases = [release('1.35', {}, [2])];

    expect(choose(cluster({}, { version: '1.35.1', desiredVersion: '1.35.2' }), { releases })).toEqual({
      version: '1.35.1',
      waiting: undefined,
    });
  });

  test.each([{ version: '1.35' }, { version: undefined }])(
    'goes on to the next minor version when its user asks for $version again',
    (spec) => {
      const begun = { version: '1.35.1', desiredVersion: '1.36.2' };

      expect(choose(cluster(spec.version === undefined ? {} : { version: spec.version }, begun)).version).toBe(
        '1.36.2',
      );
    },
  );

  test('does not take the turn of another rollout, or of another cluster', () => {
    const older = { ...mine, version: '1.35.0' };
    const other = { ...idle, moving: [{ ...turn, uid: 'other' }] };

    for (const rollout of [older, other]) expect(choose(cluster({}, running), { rollout }).version).toBe('1.35.1');
  });

  test('keeps running when what it asks for is not offered, and says so', () => {
    expect(choose(cluster({ version: '1.37' }, running))).toMatchObject({
      version: '1.35.1',
      waiting: { reason: 'VersionNotOffered', message: expect.stringContaining('skips a minor version') },
    });
  });
});

describe('a maintenance window', () => {
  const running = { version: '1.35.1', desiredVersion: '1.35.1' };
  const window = { days: ['Wednesday' as const], start: '02:30', duration: '1h', timeZone: 'UTC' };
  const mine = { ...idle, moving: [turn] };
  const OPEN = Date.UTC(2026, 10, 25, 3);
  const waits = {
    version: '1.35.1',
    waiting: {
      reason: 'WaitingForMaintenanceWindow',
      message:
        '1.35.2 is waiting for the maintenance window, which opens at 2026-11-25T02:30:00Z (to start now: fairway cluster maintain demo)',
    },
  };

  test.each<{
    reason: string;
    spec?: NewCluster['spec'];
    status?: ClusterStatus;
    now?: number;
    rollout?: RolloutStatus;
    gets: object;
  }>([
    { reason: 'a patch waits, though its turn has come', gets: waits },
    { reason: 'also before its turn', rollout: idle, gets: waits },
    { reason: 'it is taken in the window', now: OPEN, gets: { version: '1.35.2', waiting: { reason: 'Updating' } } },
    {
      reason: 'by turns',
      now: OPEN,
      rollout: idle,
      gets: { version: '1.35.1', waiting: { reason: 'WaitingForRollout' } },
    },
    {
      reason: 'a rollout that has stopped is no matter of windows',
      rollout: { ...idle, state: 'Halted' },
      gets: { version: '1.35.1', waiting: { reason: 'RolloutHalted' } },
    },
    {
      reason: 'what has begun goes on after it',
      status: { version: '1.35.1', desiredVersion: '1.35.2' },
      gets: { version: '1.35.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'a version that is asked for is urgent',
      spec: { version: '1.35.2' },
      gets: { version: '1.35.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'unless changes of the spec are confined to it',
      spec: { version: '1.35.2', maintenance: { window, confineSpecChanges: true } },
      gets: waits,
    },
    {
      reason: 'where they begin in it',
      spec: { version: '1.36', maintenance: { window, confineSpecChanges: true } },
      now: OPEN,
      gets: { version: '1.36.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'and go on after it',
      spec: { version: '1.36', maintenance: { window, confineSpecChanges: true } },
      status: { version: '1.35.1', desiredVersion: '1.36.2' },
      gets: { version: '1.36.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'a new cluster waits for none',
      spec: { version: '1.35', maintenance: { window, confineSpecChanges: true } },
      status: {},
      gets: { version: '1.35.2', waiting: undefined },
    },
  ])('$reason', ({ spec = {}, status = running, now = NOW, rollout = mine, gets }) => {
    const of = cluster({ version: '1.35', maintenance: { window }, ...spec }, status);

    expect(choose(of, { rollout, nowMs: now })).toMatchObject(gets);
  });

  test('opens once when somebody asks for it', () => {
    const asked = cluster({ version: '1.35', maintenance: { window } }, running);
    asked.metadata.annotations = { 'fairway.dev/maintenance-requested': 'now' };
    const requested = { requested: 'now', requestedUntil: '2026-11-21T23:00:00Z' };

    expect(choose(asked, { rollout: mine }).version).toBe('1.35.2');
    expect(choose({ ...asked, status: { ...running, maintenance: requested } }, { rollout: mine })).toEqual(waits);
  });
});

describe('kubelets', () => {
  const upgrade = cluster({ version: '1.36' }, { version: '1.35.2' });
  const node = (name: string, version: string) => ({ name, pool: 'general', version });

  test.each([
    { versions: ['1.33.1', '1.35.2'], gets: '1.36.2' },
    { versions: ['1.32.9', '1.35.2'], gets: '1.35.2' },
    { versions: ['not a version'], gets: '1.35.2' },
  ])('of $versions: the control plane gets $gets', ({ versions, gets }) => {
    const nodes = () => versions.map((version, index) => node(`n${index}`, version));

    expect(choose(upgrade, { nodes }).version).toBe(gets);
  });

  test('that are too old are named, a few of many, with what to do', () => {
    const nodes = () => ['e', 'd', 'c', 'b', 'a'].map((name) => node(name, '1.32.0'));

    expect(choose(upgrade, { nodes }).waiting).toEqual({
      reason: 'NodesTooOld',
      message:
        '1.36.2 is waiting for nodes that are more than three minor versions older: a (1.32.0), b (1.32.0), c (1.32.0), 2 more, in pool general. ' +
        'The pools update them first: see status.upgrade of each for progress and what it is waiting for',
    });
  });

  test('do not hold a patch up', () => {
    const patch = cluster({ version: '1.35.2' }, { version: '1.35.1' });

    expect(choose(patch, { nodes: () => [node('a', '1.20.0')] }).version).toBe('1.35.2');
  });
});
