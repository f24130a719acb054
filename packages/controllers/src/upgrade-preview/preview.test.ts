import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { aCluster, aNodePool, aPlan } from '@fairway/api/testing/objects';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { type PreviewFacts, previewUpgrade } from './preview.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const FLAVOR = { id: 'f', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 };

const RELEASES = [aRelease('1.35'), aRelease('1.36')];

function newClusterAt(version = '1.35.1', spec: Parameters<typeof aCluster>[0] = {}): Cluster {
  const condition = {
    type: 'ControlPlaneReady',
    status: 'True' as const,
    reason: 'AsExpected',
    message: '',
    lastTransitionTime: '',
  };
  return { ...aCluster(spec, { uid: 'c' }), status: { version, desiredVersion: version, conditions: [condition] } };
}

function poolOf(
  name: string,
  { type = 'Rolling', ...strategy }: Partial<NodePool['spec']['upgradeStrategy']> = {},
  { upgrade, ...spec }: Partial<NodePool['spec']> & { readonly upgrade?: Partial<PoolUpgrade> } = {},
): NodePool {
  const upgradeStrategy = { type, ...strategy };
  const pool = aNodePool({ replicas: 3, ...(spec as object), upgradeStrategy }, { name, uid: name });
  return { ...pool, status: { imageID: 'image', ...(upgrade && { upgrade: upgrade as PoolUpgrade }) } };
}

function machinesOf(
  pool: NodePool,
  count: number,
  version = '1.35.1',
  more: Partial<Machine['status']> = {},
): Machine[] {
  return Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `${pool.metadata.name}-${index}`,
      namespace: 'team',
      creationTimestamp: formatTime(NOW_MS - 3_600_000),
      labels: { 'fairway.dev/node-pool-uid': identityOf(pool) },
    },
    spec: {
      clusterName: 'demo',
      nodePoolName: pool.metadata.name ?? '',
      flavor: 'b3-8',
      image: 'image',
      version,
      floatingIP: false,
    },
    status: {
      phase: 'Ready' as const,
      version,
      readyTime: formatTime(NOW_MS - 3_600_000 + 90_000),
      installed: { serverID: 's', image: 'image', version },
      ...more,
    },
  }));
}

const general = poolOf('general');

function preview(facts: Partial<PreviewFacts> = {}) {
  const { cluster = newClusterAt(), pools = [general] } = facts;
  return previewUpgrade({
    cluster,
    running: cluster.status?.version ?? '',
    requested: undefined,
    releases: RELEASES,
    plan: aPlan(),
    pools,
    machines: pools.flatMap((pool) => machinesOf(pool, 3)),
    catalogue: { flavors: [FLAVOR], quotas: {} },
    isSeamless: false,
    nowMs: NOW_MS,
    ...facts,
  }).status;
}

const kinds = (facts?: Partial<PreviewFacts>) =>
  preview(facts).findings.map(({ type, effect, pool }) =>
    [effect, type, ...(pool === undefined ? [] : [pool])].join(' '),
  );

describe('the target version', () => {
  test.each([
    { requested: undefined, at: '1.35.1', to: '1.36.2', reason: 'the newest patch of the next minor version' },
    { requested: '1.35', at: '1.35.1', to: '1.35.2', reason: 'a newer patch of the same minor version' },
    { requested: '1.36.1', at: '1.35.1', to: '1.36.1', reason: 'the requested version' },
    { requested: undefined, at: '1.36.1', to: '1.36.2', reason: 'the newest patch if there is no next minor version' },
    { requested: undefined, at: '1.36.2', to: undefined, reason: 'nothing newer exists' },
  ])('is $to: $reason', ({ requested, at, to }) => {
    expect(preview({ cluster: newClusterAt(at), requested, machines: [] })).toMatchObject({
      from: at,
      ...(to !== undefined && { to }),
      steps: to === undefined ? [] : [{ type: 'ControlPlane', order: 1 }],
    });
  });

  test.each([
    { requested: '1.37', type: 'VersionNotOffered', says: /^1\.37 skips a minor version/ },
    { requested: '1.34', type: 'VersionNotOffered', says: /^1\.34 is older than 1\.35\.1/ },
    { requested: '1.36.9', type: 'VersionNotOffered', says: /^1\.36\.9 is not in the catalog; choose one of/ },
  ])('$requested is $type: nothing is done', ({ requested, type, says }) => {
    const { steps, findings } = preview({ requested });

    expect(steps).toEqual([]);
    expect(findings).toEqual([{ type, effect: 'Blocks', message: expect.stringMatching(says) }]);
  });
});

describe('the steps of an upgrade', () => {
  test('are the control plane, then pools by priority, those of equal priority together', () => {
    const pools = [
      poolOf('web', { priority: 0, maxSurge: 2, maxUnavailable: 1 }),
      poolOf('db', { priority: 5, type: 'InPlace' }),
      poolOf('batch', { priority: 0, maxSurge: 0 }),
    ];
    const { steps } = preview({ pools });

    expect(steps).toMatchObject([
      { order: 1, type: 'ControlPlane' },
      { order: 2, pool: 'db', strategy: 'InPlace', nodes: 3, parallel: 1 },
      { order: 3, pool: 'batch', strategy: 'Rolling', nodes: 3, parallel: 1 },
      { order: 3, pool: 'web', strategy: 'Rolling', nodes: 3, parallel: 3 },
    ]);
    expect(steps.map(({ message }) => message)).toEqual([
      'the control plane is updated from 1.35.1 to 1.36.2; its API server has a single replica and is unavailable while that is replaced; workloads keep running',
      expect.stringMatching(
        /^3 nodes: each is drained \(10 min at most\) and its server reinstalled, one after another$/,
      ),
      expect.stringMatching(
        /^3 nodes: an old one is drained \(.*\) and deleted, then a new one is created, one after another$/,
      ),
      expect.stringMatching(
        /^3 nodes: a new one is created, then an old one is drained \(.*\) and deleted, one first, then 3 at a time$/,
      ),
    ]);
  });

  test('exclude pools whose nodes already have the version', () => {
    expect(preview({ machines: machinesOf(general, 3, '1.36.2') }).steps).toHaveLength(1);
  });

  test('replace servers that cannot be updated in place', () => {
    const pool = poolOf('db', { type: 'InPlace' });
    const machines = machinesOf(pool, 2, '1.35.1', {
      installed: { serverID: 's', image: 'image', version: '1.35.1', canReinstall: false },
    });

    expect(preview({ pools: [pool], machines }).steps[1]?.message).toContain('a new server replaces each');
  });
});

describe('the estimate of an upgrade', () => {
  const lastUpgrade: Partial<PoolUpgrade> = {
    strategy: 'Rolling',
    state: 'Complete',
    total: 6,
    done: 6,
    startTime: '2026-11-01T00:00:00Z',
    endTime: '2026-11-01T00:30:00Z',
  };

  test.each([
    {
      reason: 'the duration of the last upgrade',
      pool: poolOf('general', {}, { upgrade: lastUpgrade }),
      is: { from: 'LastUpgrade', seconds: 900, message: '6 nodes took 30 min last time' },
    },
    {
      reason: 'an upgrade with another strategy does not count',
      pool: poolOf('general', {}, { upgrade: { ...lastUpgrade, strategy: 'InPlace' } }),
      is: { from: 'NewNodes', seconds: 270 },
    },
    {
      reason: 'an upgrade in progress',
      pool: poolOf(
        'general',
        {},
        {
          upgrade: {
            strategy: 'Rolling',
            state: 'Running',
            total: 6,
            done: 4,
            pace: { time: '2026-11-01T00:00:00Z', done: 2, lastTime: '2026-11-01T00:04:00Z' },
          },
        },
      ),
      is: { from: 'LastUpgrade', seconds: 360 },
    },
    {
      reason: 'three at a time after the first node',
      pool: poolOf('general', { maxSurge: 3 }),
      is: { from: 'NewNodes', seconds: 180 },
    },
  ])('comes from $is.from: $reason', ({ pool, is }) => {
    expect(preview({ pools: [pool] }).steps[1]?.estimate).toMatchObject(is);
  });

  test('falls back to drainTimeout and nodeStartupTimeout if nothing is known', () => {
    const machines = machinesOf(general, 3).map((machine) => ({ ...machine, status: { version: '1.35.1' } }));
    const { estimate } = preview({ machines });

    expect(estimate).toMatchObject({ from: 'Timeouts', message: expect.stringMatching(/at most/) });
    expect(estimate?.seconds).toBeGreaterThan(3 * 600);
  });

  test('counts pools with the same priority in parallel, and pools with different priorities in sequence', () => {
    const same = preview({ pools: [poolOf('a'), poolOf('b')] });
    const sequential = preview({ pools: [poolOf('a', { priority: 1 }), poolOf('b')] });

    expect([same.estimate?.seconds, sequential.estimate?.seconds]).toEqual([270, 540]);
  });
});

describe('obstacles to an upgrade', () => {
  const window = { window: { start: '02:00', duration: '4h', timeZone: 'UTC' }, confineSpecChanges: true };

  test.each<{ reason: string; facts: Partial<PreviewFacts>; is: readonly string[] }>([
    { reason: 'nothing', facts: {}, is: [] },
    {
      reason: 'it is paused',
      facts: {
        cluster: {
          ...newClusterAt(),
          metadata: { ...newClusterAt().metadata, annotations: { 'fairway.dev/paused': '' } },
        },
      },
      is: ['Blocks Paused'],
    },
    {
      reason: 'the window, reported once',
      facts: { cluster: newClusterAt('1.35.1', { maintenance: window }) },
      is: ['Delays WaitingForMaintenanceWindow'],
    },
    {
      reason: 'a pool is paused',
      facts: { pools: [poolOf('general', { paused: true })] },
      is: ['Blocks UpgradePaused general'],
    },
    {
      reason: 'a patch that policy leaves to the user',
      facts: { cluster: newClusterAt('1.35.1', { updatePolicy: 'NeverUpdate' }), requested: '1.35' },
      is: ['Blocks UpdateAvailable', 'Blocks UpdateAvailable general'],
    },
    {
      reason: 'the plan has no room for another node',
      facts: { plan: aPlan({ maxNodes: 3 }) },
      is: ['Blocks PlanLimitExceeded general'],
    },
    {
      reason: 'the plan has no room, but a node may be unavailable',
      facts: { plan: aPlan({ maxNodes: 3 }), pools: [poolOf('general', { maxSurge: 0, maxUnavailable: 1 })] },
      is: [],
    },
    {
      reason: 'nodes too old for the next version',
      facts: { machines: machinesOf(general, 1, '1.32.0'), requested: '1.36' },
      is: ['Blocks NodesTooOld'],
    },
    {
      reason: 'it is hibernated',
      facts: {
        cluster: {
          ...newClusterAt(),
          status: { ...newClusterAt().status, hibernation: { wanted: true, wantedSince: '', hibernated: true } },
        },
        machines: [],
      },
      is: ['Blocks Hibernated'],
    },
    {
      reason: 'another upgrade is in progress',
      facts: { cluster: { ...newClusterAt(), status: { ...newClusterAt().status, desiredVersion: '1.35.2' } } },
      is: ['Delays Updating'],
    },
  ])('$reason: $is', ({ facts, is }) => {
    expect(kinds(facts)).toEqual(is);
  });
});

describe('the quotas for an upgrade', () => {
  const quota = (limit: number, used: number) => ({ limit, used });

  test.each([
    { reason: 'there is enough room', cores: quota(40, 6), is: { needed: 2, left: 34, isEnough: true }, effects: [] },
    {
      reason: 'there is no room',
      cores: quota(6, 6),
      is: { needed: 2, left: 0, isEnough: false },
      effects: ['Blocks QuotaExceeded'],
    },
    { reason: 'unlimited', cores: quota(-1, 6), is: undefined, effects: [] },
  ])('$reason', ({ cores, is, effects }) => {
    const catalogue = { flavors: [FLAVOR], quotas: { cores } };

    expect(preview({ catalogue }).quotas?.find(({ name }) => name === 'cores')).toEqual(
      is && { name: 'cores', limit: cores.limit, ...is },
    );
    expect(kinds({ catalogue })).toEqual(effects);
  });

  test('delay it if there is room for only one of two nodes at a time', () => {
    const catalogue = { flavors: [FLAVOR], quotas: { cores: quota(9, 6) } };

    expect(kinds({ catalogue, pools: [poolOf('general', { maxSurge: 2 })] })).toEqual(['Delays QuotaExceeded']);
  });

  test('are used by pools with the same priority together, and not by in-place updates', () => {
    const catalogue = { flavors: [FLAVOR], quotas: { instances: quota(100, 6) } };
    const needed = (...pools: NodePool[]) => preview({ catalogue, pools }).quotas?.[0]?.needed;

    expect(needed(poolOf('a'), poolOf('b'))).toBe(2);
    expect(needed(poolOf('a', { priority: 1 }), poolOf('b', { maxSurge: 2 }))).toBe(2);
    expect(needed(poolOf('a', { type: 'InPlace' }))).toBeUndefined();
  });

  test("include a port in each of the pool's networks", () => {
    const catalogue = { flavors: [FLAVOR], quotas: { ports: quota(100, 6) } };
    const pool = poolOf('general');
    const networks = [{ networkID: '11111111-1111-4111-8111-111111111111' }];
    const pools = [{ ...pool, spec: { ...pool.spec, networks } }];

    expect(preview({ catalogue, pools }).quotas).toMatchObject([{ name: 'ports', needed: 2 }]);
  });

  test('are unknown while the cloud does not respond', () => {
    expect(preview({ catalogue: {} }).quotas).toBeUndefined();
    expect(kinds({ catalogue: {} })).toEqual(['Unknown CloudUnavailable']);
  });
});

describe('add-ons during an upgrade', () => {
  const at = (version: string, addons: NonNullable<Cluster['status']>['addons']): Cluster => {
    const cluster = newClusterAt(version);
    const decided = {
      url: 'https://192.0.2.1:6443',
      podCIDR: '10.2.0.0/16',
      serviceCIDR: '10.3.0.0/16',
      kubeProxyMode: 'iptables',
    };
    return { ...cluster, status: { ...cluster.status, ...decided, addons } };
  };
  const is = (name: string, version: string, state: 'Ready' | 'NotManaged' = 'Ready') => ({
    name,
    ...(state === 'Ready' && { version }),
    state,
    reason: 'AsExpected',
    lastTransitionTime: '',
  });

  test('are listed if their version changes, with the time', () => {
    const { addons } = preview({ cluster: at('1.35.1', [is('kube-proxy', '1.35.1'), is('coredns', '1.13.1')]) });

    expect(addons).toEqual([
      {
        name: 'kube-proxy',
        from: '1.35.1',
        to: '1.36.2',
        message: 'kube-proxy is updated from 1.35.1 to 1.36.2 when all nodes are updated',
      },
      {
        name: 'coredns',
        from: '1.13.1',
        to: '1.14.2',
        message: 'coredns is updated from 1.13.1 to 1.14.2 after the control plane',
      },
    ]);
  });

  test('include the pod network if Fairway has installed it', () => {
    const cluster = at('1.35.1', [is('cilium', '1.20.1')]);
    const status = { ...cluster.status, cni: 'cilium', cniInstaller: 'Fairway' as const };
    const { addons } = preview({ cluster: { ...cluster, status } });

    expect(addons).toEqual([
      {
        name: 'cilium',
        from: '1.20.1',
        to: '1.20.2',
        message: 'cilium is updated from 1.20.1 to 1.20.2 after the control plane',
      },
    ]);
  });

  test('include the cluster’s own add-ons, and list what depends on the version', () => {
    const { addons } = preview({ cluster: at('1.35.1', [is('coredns', '', 'NotManaged')]) });

    expect(addons).toEqual([
      {
        name: 'coredns',
        to: '1.14.2',
        message: 'coredns is not managed by Fairway and is left unchanged; 1.14.2 belongs to the new version',
      },
    ]);
  });

  test('are omitted if their version is unchanged or they are not installed yet', () => {
    expect(preview({ cluster: at('1.36.1', [is('coredns', '1.14.2')]) }).addons).toBeUndefined();
    expect(preview({ cluster: at('1.35.1', undefined) }).addons).toBeUndefined();
  });
});
