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
  ])('runs $gets if it requests $version, regardless of the policy', ({ version, gets }) => {
    for (const updatePolicy of ['AlwaysUpdate', 'MinimalDowntime', 'NeverUpdate'] as const) {
      const spec = { updatePolicy, ...(version !== undefined && { version }) };

      expect(choose(cluster(spec))).toEqual({ version: gets, waiting: undefined });
    }
  });

  test('keeps its version while it starts, even if a newer patch or minor version appears', () => {
    expect(choose(cluster({}, { desiredVersion: '1.35.1' })).version).toBe('1.35.1');
    expect(choose(cluster({ version: '1.35' }, { desiredVersion: '1.35.1' })).version).toBe('1.35.1');
  });

  test.each([
    { reason: 'another version is requested', spec: { version: '1.34' }, gets: '1.34.2', withdrawn: [] },
    { reason: 'it has been withdrawn', spec: { version: '1.35' }, gets: '1.35.2', withdrawn: [1] },
  ])('changes its version while it starts if $reason', ({ spec, gets, withdrawn }) => {
    const releases = [release('1.34'), release('1.35', {}, withdrawn)];

    expect(choose(cluster(spec, { desiredVersion: '1.35.1' }), { releases }).version).toBe(gets);
  });

  test('waits for binaries instead of failing', () => {
    const releases = [release('1.35', { available: [] })];

    expect(choose(cluster({ version: '1.35' }), { releases })).toMatchObject({
      version: undefined,
      waiting: { reason: 'ProgramsMissing', message: expect.stringContaining('fairway releases fetch 1.35.2') },
    });
  });
});

describe('a cluster that runs 1.35.1', () => {
  const running = { version: '1.35.1', desiredVersion: '1.35.1' };
  const rolloutWithSlot = { ...idle, moving: [turn] };

  test.each([{ version: undefined }, { version: '1.35' }])(
    'waits for its slot under AlwaysUpdate with version $version',
    (spec) => {
      const of = cluster(spec.version === undefined ? {} : { version: spec.version }, running);

      expect(choose(of)).toMatchObject({ version: '1.35.1', waiting: { reason: 'WaitingForRollout' } });
      expect(choose(of, { rollout: rolloutWithSlot })).toMatchObject({
        version: '1.35.2',
        waiting: { reason: 'Updating' },
      });
    },
  );

  test('is never moved to another minor version automatically', () => {
    expect(choose(cluster({}, { version: '1.35.2' }))).toEqual({ version: '1.35.2', waiting: undefined });
  });

  test.each([
    { updatePolicy: 'NeverUpdate' as const, isSeamless: false, takes: false },
    { updatePolicy: 'NeverUpdate' as const, isSeamless: true, takes: false },
    { updatePolicy: 'MinimalDowntime' as const, isSeamless: false, takes: false },
    { updatePolicy: 'MinimalDowntime' as const, isSeamless: true, takes: true },
  ])(
    'is given the patch in its slot under $updatePolicy, isSeamless $isSeamless: $takes',
    ({ updatePolicy, isSeamless, takes }) => {
      const choice = choose(cluster({ version: '1.35', updatePolicy }, running), {
        isSeamless,
        rollout: rolloutWithSlot,
      });

      expect(choice.version).toBe(takes ? '1.35.2' : '1.35.1');
      if (takes) return;
      expect(choice.waiting).toMatchObject({
        reason: 'UpdateAvailable',
        message: expect.stringContaining('set spec.version to 1.35.2 to install it'),
      });
    },
  );

  test.each([
    {
      version: '1.35.2',
      gets: '1.35.2',
      reason: 'an exact version applies immediately, regardless of policy and rollout',
    },
    { version: '1.35.1', gets: '1.35.1', reason: 'an exact version is never changed' },
    { version: '1.36', gets: '1.36.2', reason: 'another minor version applies immediately, too' },
  ])('$version: $gets, because $reason', ({ version, gets }) => {
    const halted = { ...idle, state: 'Halted' as const };
    for (const updatePolicy of ['AlwaysUpdate', 'NeverUpdate'] as const) {
      expect(choose(cluster({ version, updatePolicy }, running), { rollout: halted }).version).toBe(gets);
    }
  });

  test.each([
    { state: 'Halted' as const, expectedMessage: 'has stopped after failures' },
    { state: 'Paused' as const, expectedMessage: 'is paused by the operator' },
  ])('reports that the rollout $expectedMessage', ({ state, expectedMessage }) => {
    expect(choose(cluster({}, running), { rollout: { ...idle, state } })).toMatchObject({
      version: '1.35.1',
      waiting: { reason: 'RolloutHalted', message: expect.stringContaining(expectedMessage) },
    });
  });

  test('continues a patch in progress after its slot has ended and the rollout has stopped', () => {
    const inProgress = { version: '1.35.1', desiredVersion: '1.35.2' };

    expect(choose(cluster({}, inProgress), { rollout: { ...idle, state: 'Halted' } }).version).toBe('1.35.2');
    expect(choose(cluster({ updatePolicy: 'NeverUpdate' }, inProgress)).version).toBe('1.35.2');
  });

  test('reverts to the previous patch if the new one is withdrawn before it has run', () => {
    const releases = [release('1.35', {}, [2])];

    expect(choose(cluster({}, { version: '1.35.1', desiredVersion: '1.35.2' }), { releases })).toEqual({
      version: '1.35.1',
      waiting: undefined,
    });
  });

  test.each([{ version: '1.35' }, { version: undefined }])(
    'continues to the next minor version if its user requests $version again',
    (spec) => {
      const inProgress = { version: '1.35.1', desiredVersion: '1.36.2' };

      expect(choose(cluster(spec.version === undefined ? {} : { version: spec.version }, inProgress)).version).toBe(
        '1.36.2',
      );
    },
  );

  test('does not use the slot of another rollout or another cluster', () => {
    const older = { ...rolloutWithSlot, version: '1.35.0' };
    const other = { ...idle, moving: [{ ...turn, uid: 'other' }] };

    for (const rollout of [older, other]) expect(choose(cluster({}, running), { rollout }).version).toBe('1.35.1');
  });

  test('keeps its version if the requested one is not offered, and reports that', () => {
    expect(choose(cluster({ version: '1.37' }, running))).toMatchObject({
      version: '1.35.1',
      waiting: { reason: 'VersionNotOffered', message: expect.stringContaining('skips a minor version') },
    });
  });
});

describe('a maintenance window', () => {
  const running = { version: '1.35.1', desiredVersion: '1.35.1' };
  const window = { days: ['Wednesday' as const], start: '02:30', duration: '1h', timeZone: 'UTC' };
  const rolloutWithSlot = { ...idle, moving: [turn] };
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
    { reason: 'delays a patch even in its slot', gets: waits },
    { reason: 'delays a patch before its slot', rollout: idle, gets: waits },
    {
      reason: 'allows the patch while it is open',
      now: OPEN,
      gets: { version: '1.35.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'does not replace a slot of the rollout',
      now: OPEN,
      rollout: idle,
      gets: { version: '1.35.1', waiting: { reason: 'WaitingForRollout' } },
    },
    {
      reason: 'does not affect a stopped rollout',
      rollout: { ...idle, state: 'Halted' },
      gets: { version: '1.35.1', waiting: { reason: 'RolloutHalted' } },
    },
    {
      reason: 'does not interrupt an update when it closes',
      status: { version: '1.35.1', desiredVersion: '1.35.2' },
      gets: { version: '1.35.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'does not delay a requested version',
      spec: { version: '1.35.2' },
      gets: { version: '1.35.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'delays a requested version if spec changes are confined to it',
      spec: { version: '1.35.2', maintenance: { window, confineSpecChanges: true } },
      gets: waits,
    },
    {
      reason: 'allows a requested version while it is open',
      spec: { version: '1.36', maintenance: { window, confineSpecChanges: true } },
      now: OPEN,
      gets: { version: '1.36.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'does not interrupt a requested version when it closes',
      spec: { version: '1.36', maintenance: { window, confineSpecChanges: true } },
      status: { version: '1.35.1', desiredVersion: '1.36.2' },
      gets: { version: '1.36.2', waiting: { reason: 'Updating' } },
    },
    {
      reason: 'does not delay a new cluster',
      spec: { version: '1.35', maintenance: { window, confineSpecChanges: true } },
      status: {},
      gets: { version: '1.35.2', waiting: undefined },
    },
  ])('$reason', ({ spec = {}, status = running, now = NOW, rollout = rolloutWithSlot, gets }) => {
    const of = cluster({ version: '1.35', maintenance: { window }, ...spec }, status);

    expect(choose(of, { rollout, nowMs: now })).toMatchObject(gets);
  });

  test('opens once on request', () => {
    const requestingCluster = cluster({ version: '1.35', maintenance: { window } }, running);
    requestingCluster.metadata.annotations = { 'fairway.dev/maintenance-requested': 'now' };
    const requested = { requested: 'now', requestedUntil: '2026-11-21T23:00:00Z' };

    expect(choose(requestingCluster, { rollout: rolloutWithSlot }).version).toBe('1.35.2');
    expect(
      choose({ ...requestingCluster, status: { ...running, maintenance: requested } }, { rollout: rolloutWithSlot }),
    ).toEqual(waits);
  });
});

describe('kubelet versions', () => {
  const upgrade = cluster({ version: '1.36' }, { version: '1.35.2' });
  const node = (name: string, version: string) => ({ name, pool: 'general', version });

  test.each([
    { versions: ['1.33.1', '1.35.2'], gets: '1.36.2' },
    { versions: ['1.32.9', '1.35.2'], gets: '1.35.2' },
    { versions: ['not a version'], gets: '1.35.2' },
  ])('$versions: the control plane runs $gets', ({ versions, gets }) => {
    const nodes = () => versions.map((version, index) => node(`n${index}`, version));

    expect(choose(upgrade, { nodes }).version).toBe(gets);
  });

  test('are listed with the required action if they are too old, up to a few names', () => {
    const nodes = () => ['e', 'd', 'c', 'b', 'a'].map((name) => node(name, '1.32.0'));

    expect(choose(upgrade, { nodes }).waiting).toEqual({
      reason: 'NodesTooOld',
      message:
        '1.36.2 is waiting for nodes that are more than three minor versions older: a (1.32.0), b (1.32.0), c (1.32.0), 2 more, in pool general. ' +
        'The pools update them first: see status.upgrade of each for progress and what it is waiting for',
    });
  });

  test('do not delay a patch', () => {
    const patch = cluster({ version: '1.35.2' }, { version: '1.35.1' });

    expect(choose(patch, { nodes: () => [node('a', '1.20.0')] }).version).toBe('1.35.2');
  });
});
