import { describe, expect, it } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { Cluster, NewCluster } from '../kinds/cluster.ts';
import type { NewNodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool, shippedPlans } from '../testing/objects.ts';
import { admitCluster, clusterWarnings, versionWarnings } from './admit-cluster.ts';
import { admitNodePool, type NodePoolAdmission, nodePoolWarnings } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

const catalogue: CloudCatalogue = {
  regions: ['GRA', 'SBG'],
  zones: ['az-a', 'az-b', 'az-c'],
  flavors: [
    { id: id('1'), name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 },
    { id: id('2'), name: 'b3-16', vcpus: 4, memoryMiB: 16_384, diskGiB: 100 },
    { id: id('3'), name: 'diskless', vcpus: 2, memoryMiB: 8192, diskGiB: 0 },
    { id: id('4'), name: 'nano', vcpus: 1, memoryMiB: 512, diskGiB: 10 },
  ],
  images: [{ id: id('5'), name: 'ubuntu-24.04', minDiskGiB: 60, minMemoryMiB: 0 }],
  networks: [
    { id: id('a'), name: 'private', isExternal: false },
    { id: id('b'), name: 'public', isExternal: true },
    { id: id('c'), name: 'two-subnets', isExternal: false },
    { id: id('d'), name: 'overlapping', isExternal: false },
  ],
  subnets: [
    { id: id('6'), name: 'nodes', networkID: id('a'), cidr: '192.168.0.0/24', ipVersion: 4 },
    { id: id('7'), name: 'six', networkID: id('a'), cidr: 'fd00::/64', ipVersion: 6 },
    { id: id('8'), name: 'one', networkID: id('c'), cidr: '192.168.1.0/24', ipVersion: 4 },
    { id: id('9'), name: 'two', networkID: id('c'), cidr: '192.168.2.0/24', ipVersion: 4 },
    { id: id('0'), name: 'in pods', networkID: id('d'), cidr: '10.2.9.0/24', ipVersion: 4 },
  ],
  routers: [{ id: id('e'), name: 'way-out', subnetIDs: [id('6')] }],
  volumeTypes: [{ id: id('f'), name: 'high-speed' }],
  quotas: { instances: { limit: 20, used: 17 }, cores: { limit: -1, used: 900 }, floatingIPs: { limit: 1, used: 0 } },
};

function clusterAdmission(spec: NewCluster['spec'], overrides: Partial<ClusterAdmission> = {}): ClusterAdmission {
  return {
    cluster: aCluster(spec),
    old: undefined,
    plans: shippedPlans(),
    releases: SHIPPED_RELEASES,
    nowMs: Date.UTC(2026, 10, 22),
    catalogue,
    others: [],
    pools: [],
    ...overrides,
  };
}

describe('spec.apiServer.allowedCIDRs if Fairway does not enforce it', () => {
  const apiServer = { allowedCIDRs: ['192.0.2.0/24'] };
  const why = 'it is not enforced here: remove it';
  const unenforcedFields = { 'spec.apiServer.allowedCIDRs': why };

  it('refuses new and changed lists, and says what to do', () => {
    const old = aCluster({ apiServer: { allowedCIDRs: ['198.51.100.0/24'] } });
    const refused = [{ type: 'FieldValueForbidden', field: 'spec.apiServer.allowedCIDRs', detail: why }];

    expect(admitCluster(clusterAdmission({ apiServer }, { unenforcedFields }))).toEqual(refused);
    expect(admitCluster(clusterAdmission({ apiServer }, { unenforcedFields, old }))).toEqual(refused);
  });

  it('does not refuse stored, empty or enforced lists', () => {
    const old = aCluster({ apiServer });
    const empty = { apiServer: { allowedCIDRs: [] } };

    expect(admitCluster(clusterAdmission({ apiServer }, { unenforcedFields, old }))).toEqual([]);
    expect(admitCluster(clusterAdmission(empty, { unenforcedFields }))).toEqual([]);
    expect(admitCluster(clusterAdmission({ apiServer }))).toEqual([]);
  });

  it.each([
    { mode: 'Router', reported: 0 },
    { mode: 'None', reported: 1 },
  ] as const)('warns $reported times about node addresses with gateway mode $mode', ({ mode, reported }) => {
    const cluster = aCluster({ apiServer, network: { gateway: { mode } } });

    expect(clusterWarnings(cluster).filter((warning) => warning.includes('allowedCIDRs')).length).toBe(reported);
  });
});

describe('Keystone authentication if Fairway does not support it', () => {
  const apiServer = { keystone: { projects: ['p1'] } };
  const keystoneProblem = 'there are none: remove it';
  const refused = [{ type: 'FieldValueForbidden', field: 'spec.apiServer.keystone', detail: keystoneProblem }];

  it('refuses new and changed settings, and says what to do', () => {
    const old = aCluster({ apiServer: { keystone: {} } });

    expect(admitCluster(clusterAdmission({ apiServer }, { keystoneProblem }))).toEqual(refused);
    expect(admitCluster(clusterAdmission({ apiServer }, { keystoneProblem, old }))).toEqual(refused);
  });

  it('does not refuse settings that are stored or removed', () => {
    const old = aCluster({ apiServer });

    expect(admitCluster(clusterAdmission({ apiServer }, { keystoneProblem, old }))).toEqual([]);
    expect(admitCluster(clusterAdmission({}, { keystoneProblem, old }))).toEqual([]);
  });
});

describe('clusterWarnings', () => {
  const oidc = { issuerURL: 'https://login.example.org', clientID: 'kubernetes' };

  it.each(['1.31', '1.33', '1.33.9'])(
    'warns that OIDC may have no effect with %s, and names the first version that supports it',
    (version) => {
      const warnings = clusterWarnings(aCluster({ version, apiServer: { oidc } }));

      expect(warnings).toEqual([
        expect.stringContaining(`spec.apiServer.oidc: the API server of Kubernetes ${version} `),
      ]);
      expect(warnings.join()).toContain('upgrade to 1.34 or later');
      expect(warnings.join()).toContain('SettingsApplied');
    },
  );

  it('warns that nothing implements Services in a cluster with neither pod network nor kube-proxy', () => {
    const [free, standard] = SHIPPED_PLANS.map(({ spec }) => spec);
    const cluster = aCluster({ plan: 'standard', cni: { type: 'none' } });

    expect(clusterWarnings(cluster, undefined, standard)).toEqual([
      expect.stringContaining('spec.cni.type: none: without kube-proxy, the pod network'),
    ]);
    expect(clusterWarnings(cluster, undefined, free)).toEqual([]);
    expect(clusterWarnings(cluster, cluster, standard), 'once').toEqual([]);
  });

  it('does not warn about later versions or clusters without OIDC', () => {
    expect(clusterWarnings(aCluster({ version: '1.34', apiServer: { oidc } }))).toEqual([]);
    expect(clusterWarnings(aCluster({ version: '1.33' }))).toEqual([]);
  });
});

describe('admitCluster', () => {
  it.each<NewCluster['spec']>([
    {},
    { plan: 'standard', version: '1.35', region: 'SBG', podCIDR: '10.16.0.0/14', serviceCIDR: '172.20.0.0/16' },
    { network: { networkID: id('a') } },
    { network: { networkID: id('c'), subnetID: id('9'), loadBalancersSubnetID: id('8') } },
    { network: { gateway: { routerID: id('e'), externalNetworkID: id('b') } } },
    { image: 'ubuntu-24.04', podCIDR: '10.2.0.0/16' },
  ])('accepts %j', (spec) => {
    expect(admitCluster(clusterAdmission(spec))).toEqual([]);
  });

  it.each<[NewCluster['spec'], string, string]>([
    [{ plan: 'fre' }, 'spec.plan', 'did you mean "free"?'],
    [{ version: '1.30' }, 'spec.version', 'is not in the catalog; choose one of 1.35'],
    [{ version: '1.31' }, 'spec.version', 'has reached its end of life'],
    [{ region: 'GRB' }, 'spec.region', 'did you mean "GRA"'],
    [{ image: 'ubuntu-24.40' }, 'spec.image', 'did you mean "ubuntu-24.04"?'],
    [{ cni: { type: 'cilium' } }, 'spec.cni.type', 'plan "free" supports "canal", "none"'],
    [{ plan: 'standard', kubeProxy: { mode: 'ipvs' } }, 'spec.kubeProxy.mode', 'supports "none"'],
    [{ cni: { cilium: { clusterID: 3 } } }, 'spec.cni.cilium', 'the cluster has canal'],
    [
      { plan: 'standard', kubeProxy: { iptables: { syncPeriod: '1m' } } },
      'spec.kubeProxy.iptables',
      'with plan "standard" the cluster has no kube-proxy: remove it',
    ],
    [
      {
        plan: 'standard',
        cni: {
          cilium: {
            hubble: {
              enabled: true,
              ui: { backendResources: { limits: { memory: '64Mi' }, requests: { memory: '1Gi' } } },
            },
          },
        },
      },
      'spec.cni.cilium.hubble.ui.backendResources.limits.memory',
      'must not be less than requests.memory (1Gi)',
    ],
    [{ podCIDR: '10.9.0.0/16' }, 'spec.podCIDR', 'has a fixed CIDR 10.2.0.0/16'],
    [{ plan: 'standard', podCIDR: '100.64.0.0/12' }, 'spec.podCIDR', 'must be private'],
    [{ plan: 'standard', podCIDR: '10.9.0.0/17' }, 'spec.podCIDR', 'must be a /16 or larger'],
    [
      { plan: 'standard', podCIDR: '10.0.0.0/14', network: { nodesCIDR: '192.168.0.0/24' } },
      'spec.podCIDR',
      'overlaps the service network 10.3.0.0/16',
    ],
    [{ network: { nodesCIDR: '10.2.128.0/20' } }, 'spec.network.nodesCIDR', 'overlaps the pod network 10.2.0.0/16'],
    [
      { network: { nodesCIDR: '172.17.0.0/20' } },
      'spec.network.nodesCIDR',
      'overlaps the reserved range 172.17.0.0/16',
    ],
    [{ network: { nodesCIDR: '192.168.0.0/29' } }, 'spec.network.nodesCIDR', 'must be a /28 or larger'],
    [
      { network: { networkID: id('d') } },
      'spec.network.networkID',
      'the subnet "in pods" 10.2.9.0/24 overlaps the pod network',
    ],
    [{ network: { networkID: id('4') } }, 'spec.network.networkID', `there are ${id('a')} ("private")`],
    [{ network: { networkID: id('b') } }, 'spec.network.networkID', 'is external'],
    [{ network: { networkID: id('c') } }, 'spec.network.subnetID', 'has 2 IPv4 subnets'],
    [{ network: { networkID: id('c'), subnetID: id('6') } }, 'spec.network.subnetID', `${id('8')} ("one")`],
    [{ network: { networkID: id('a'), subnetID: id('7') } }, 'spec.network.subnetID', 'is an IPv6 subnet'],
    [{ network: { gateway: { routerID: id('3') } } }, 'spec.network.gateway.routerID', 'no such router'],
    [{ network: { gateway: { externalNetworkID: id('a') } } }, 'spec.network.gateway.externalNetworkID', '("public")'],
    [
      { plan: 'standard', network: { gateway: { mode: 'None' } } },
      'spec.network.gateway.mode',
      'requires an OpenStack router',
    ],
  ])('refuses %j at %s: %s', (spec, field, detail) => {
    const errors = admitCluster(clusterAdmission(spec));
    expect(errors).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });

  it('refuses more clusters than the plan allows, but accepts changes to existing ones', () => {
    const others = Array.from({ length: 20 }, (_, index) => aCluster({}, { name: `c${index}` }));
    expect(admitCluster(clusterAdmission({}, { others }))).toMatchObject([{ field: 'spec.plan' }]);
    expect(admitCluster(clusterAdmission({ plan: 'standard' }, { others }))).toEqual([]);
    expect(admitCluster(clusterAdmission({}, { others, old: aCluster() }))).toEqual([]);
    const movedCluster = clusterAdmission({}, { others, old: aCluster({ plan: 'standard' }) });
    expect(admitCluster(movedCluster), 'a change of plan counts').toMatchObject([{ field: 'spec.plan' }]);
  });

  it("does not refuse references while the cloud's resources are unknown", () => {
    const spec = { region: 'X', image: 'x', network: { networkID: id('3'), gateway: { routerID: id('3') } } };
    expect(admitCluster(clusterAdmission(spec, { catalogue: {} }))).toEqual([]);
  });

  it('accepts changes to a cluster whose image was deleted', () => {
    const old = aCluster({ image: 'gone' });
    expect(admitCluster(clusterAdmission({ image: 'gone' }, { old }))).toEqual([]);
    expect(admitCluster(clusterAdmission({ image: 'new' }, { old }))).toMatchObject([{ field: 'spec.image' }]);
  });

  it.each([
    ['1.34.3', '1.35', []],
    ['1.34.3', '1.36', ['upgrade to 1.35 first']],
    ['1.35.8', '1.34', ['cannot be downgraded']],
    ['1.31.14', '1.32', []],
  ])('validates the upgrade from %s to %s: %j', (current, version, details) => {
    const old: Cluster = { ...aCluster({ version: current }), status: { version: current } };
    const errors = admitCluster(clusterAdmission({ version }, { old }));
    expect(errors).toMatchObject(
      details.map((detail) => ({ field: 'spec.version', detail: expect.stringContaining(detail) })),
    );
    expect(errors).toHaveLength(details.length);
  });

  it('refuses an upgrade that would leave nodes too far behind, and says what to do', () => {
    const of = (oldestVersion: string): Cluster => ({
      ...aCluster({ version: '1.35' }),
      status: { version: '1.35.8', nodes: { desired: 1, current: 1, ready: 1, upToDate: 1, oldestVersion } },
    });

    expect(admitCluster(clusterAdmission({ version: '1.36' }, { old: of('1.32.1') }))).toMatchObject([
      {
        field: 'spec.version',
        detail: expect.stringMatching(/^the oldest node runs 1\.32\.1, too old for an API server of 1\.36: .*Machines/),
      },
    ]);
    expect(admitCluster(clusterAdmission({ version: '1.36' }, { old: of('1.33.1') }))).toEqual([]);
    expect(admitCluster(clusterAdmission({ version: '1.35.8' }, { old: of('1.20.1') }))).toEqual([]);
  });

  it('refuses a version whose binaries are missing, and says which command downloads them', () => {
    const releases = SHIPPED_RELEASES.map((release) => ({ ...release, status: { available: [] } }));

    for (const spec of [{}, { version: '1.36' }, { version: '1.36.4' }]) {
      expect(admitCluster(clusterAdmission(spec, { releases }))).toMatchObject([
        { field: 'spec.version', detail: expect.stringContaining('"fairway releases fetch 1.36.4"') },
      ]);
    }
  });
});

it('warns on every change that spec.version is overridden, until the user raises it', () => {
  const old = aCluster({ version: '1.34' });
  const forcedUpgrade = { from: '1.34.2', to: '1.35.0', time: '2026-11-22T00:00:00Z', asked: '1.34' };
  old.status = { version: '1.35.0', forcedUpgrade };
  const versionWarnings = (cluster: Cluster) =>
    clusterWarnings(cluster, old).filter((text) => text.startsWith('spec.version'));

  expect(versionWarnings(aCluster({ version: '1.34' }))).toEqual([expect.stringContaining('set it to 1.35')]);
  expect(versionWarnings(aCluster({ version: '1.35' }))).toEqual([]);
});

describe('versionWarnings', () => {
  it.each([
    {
      current: '1.33.1',
      version: '1.34',
      warns: [expect.stringContaining('Kubernetes 1.34 has reached its end of life')],
    },
    { current: '1.35.1', version: '1.36', warns: [] },
    { current: '1.33.1', version: undefined, warns: [expect.stringContaining('1.33 has reached its end of life')] },
  ])('warns about the upgrade from $current to $version: $warns', ({ current, version, warns }) => {
    const old: Cluster = { ...aCluster({ version: current }), status: { version: current } };
    const request = clusterAdmission(version === undefined ? {} : { version }, { old });

    expect(versionWarnings(request)).toEqual(warns);
    expect(versionWarnings({ ...request, old: request.cluster })).toEqual([]);
  });
});

function poolAdmission(
  spec: Partial<NewNodePool['spec']>,
  overrides: Partial<NodePoolAdmission> = {},
): NodePoolAdmission {
  return {
    pool: aNodePool(spec),
    old: undefined,
    clusters: [aCluster()],
    others: [],
    plans: shippedPlans(),
    catalogue,
    nowMs: Date.UTC(2026, 10, 22),
    ...overrides,
  };
}

describe('admitNodePool', () => {
  it.each<Partial<NewNodePool['spec']>>([
    {},
    { flavor: id('2'), availabilityZones: ['az-c', 'az-a'] },
    { flavor: 'diskless', rootVolume: { sizeGiB: 60, type: 'high-speed' }, image: 'ubuntu-24.04' },
    { floatingIPs: { enabled: true } },
  ])('accepts %j', (spec) => {
    expect(admitNodePool(poolAdmission(spec))).toEqual([]);
  });

  it.each<[Partial<NewNodePool['spec']>, string, string]>([
    [{ flavor: 'b3-6' }, 'spec.flavor', 'did you mean "b3-16" or "b3-8"?'],
    [{ flavor: 'nano' }, 'spec.flavor', 'has 512 MiB of memory'],
    [{ flavor: 'diskless' }, 'spec.rootVolume', 'has no disk'],
    [{ flavor: 'b3-8', image: 'ubuntu-24.04' }, 'spec.flavor', 'needs a disk of 60 GiB, but the nodes have 50'],
    [{ image: 'debian' }, 'spec.image', 'there is "ubuntu-24.04"'],
    [{ availabilityZones: ['az-a', 'az-d'] }, 'spec.availabilityZones[1]', 'no such availability zone'],
    [{ rootVolume: { sizeGiB: 50, type: 'fast' } }, 'spec.rootVolume.type', 'there is "high-speed"'],
    [
      { template: { metadata: { labels: { 'k8s.io/x': 'y' } } } },
      'spec.template.metadata.labels[k8s.io/x]',
      'reserved',
    ],
  ])('refuses %j at %s: %s', (spec, field, detail) => {
    const errors = admitNodePool(poolAdmission(spec));
    expect(errors).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });

  it.each<[Partial<NewNodePool['spec']>, Partial<NewNodePool['spec']>, string, string]>([
    [{}, { flavor: 'b3-6' }, 'spec.flavor', 'did you mean "b3-16" or "b3-8"?'],
    [{}, { flavor: 'nano' }, 'spec.flavor', 'has 512 MiB of memory'],
    [{}, { flavor: 'diskless' }, 'spec.rootVolume', 'has no disk'],
    [{ flavor: 'diskless', rootVolume: { sizeGiB: 60 } }, { flavor: 'diskless' }, 'spec.rootVolume', 'has no disk'],
    [
      { flavor: 'b3-16', image: 'ubuntu-24.04' },
      { flavor: 'b3-8', image: 'ubuntu-24.04' },
      'spec.flavor',
      'needs a disk of 60 GiB',
    ],
    [
      { availabilityZones: ['az-a'] },
      { availabilityZones: ['az-d'] },
      'spec.availabilityZones[0]',
      'no such availability zone',
    ],
  ])('refuses to change a pool from %j to %j at %s: %s', (before, spec, field, detail) => {
    const errors = admitNodePool(poolAdmission(spec, { old: aNodePool(before) }));
    expect(errors).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });

  it('refuses a schedule with more nodes than the plan allows, unless it is already stored', () => {
    const autoscaling = (minReplicas: number) => {
      const schedule = { name: 'day', start: '0 7 * * *', end: '0 20 * * *', minReplicas, maxReplicas: 999 };
      return { autoscaling: { enabled: true, schedules: [schedule] } };
    };
    expect(admitNodePool(poolAdmission(autoscaling(100)))).toEqual([]);
    expect(admitNodePool(poolAdmission(autoscaling(101)))).toMatchObject([
      { field: 'spec.autoscaling.schedules[0].minReplicas', value: 101, detail: expect.stringContaining('100 nodes') },
    ]);
    expect(admitNodePool(poolAdmission(autoscaling(101), { old: aNodePool(autoscaling(101)) }))).toEqual([]);
  });

  it('accepts values that are already stored but no longer offered by the cloud', () => {
    const missing = { flavor: 'b3-6', availabilityZones: ['az-a', 'az-d'] };
    expect(admitNodePool(poolAdmission({ ...missing, replicas: 2 }, { old: aNodePool(missing) }))).toEqual([]);
    const left = { flavor: 'b3-8', availabilityZones: ['az-d', 'az-b'] };
    expect(admitNodePool(poolAdmission(left, { old: aNodePool(missing) }))).toEqual([]);
  });

  it('refuses a cluster whose existing pools exceed its plan', () => {
    const pools = [
      aNodePool({ replicas: 999 }, { name: 'early' }),
      aNodePool({ replicas: 999, clusterName: 'other' }, { name: 'foreign' }),
    ];
    expect(admitCluster(clusterAdmission({}, { pools }))).toMatchObject([
      { field: 'spec.plan', detail: expect.stringContaining('have 999 (early: 999)') },
    ]);
    expect(admitCluster(clusterAdmission({ image: 'b' }, { pools, old: aCluster() }))).not.toContainEqual(
      expect.objectContaining({ field: 'spec.plan' }),
    );
  });

  it('refuses a cluster without a router if its existing pools request floating IPs', () => {
    const pools = [aNodePool({ floatingIPs: { enabled: true } }, { name: 'early' })];
    const spec = { network: { gateway: { mode: 'None' as const } } };
    expect(admitCluster(clusterAdmission(spec, { pools }))).toContainEqual(
      expect.objectContaining({
        field: 'spec.network.gateway.mode',
        detail: expect.stringContaining('node pool "early"'),
      }),
    );
  });

  it("counts the nodes in all of the cluster's pools, but not those in other clusters", () => {
    const quotas = {};
    const others = [
      aNodePool({ replicas: 90 }, { name: 'big' }),
      aNodePool({ replicas: 90, clusterName: 'other' }, { name: 'foreign' }),
    ];
    const admission = (replicas: number, old?: number) =>
      poolAdmission(
        { replicas },
        {
          others,
          catalogue: { ...catalogue, quotas },
          ...(old !== undefined && { old: aNodePool({ replicas: old }) }),
        },
      );
    expect(admitNodePool(admission(10))).toEqual([]);
    expect(admitNodePool(admission(11))).toMatchObject([{ detail: expect.stringContaining('must be at most 10') }]);
    expect(admitNodePool(admission(11, 12)), 'shrinking is always allowed').toEqual([]);
  });

  it.each(['None', 'Custom'] as const)('refuses floating IPs with gateway mode %s', (mode) => {
    const clusters = [aCluster({ network: { gateway: { mode } } })];
    const errors = admitNodePool(poolAdmission({ floatingIPs: { enabled: true } }, { clusters }));
    expect(errors).toMatchObject([{ field: 'spec.floatingIPs.enabled', detail: expect.stringContaining(mode) }]);
  });

  it('accepts a pool created before its cluster, with a warning, because a dry run of both requires this', () => {
    const admission = poolAdmission({ clusterName: 'dema' });
    expect(admitNodePool(admission)).toEqual([]);
    expect(nodePoolWarnings(admission)).toEqual([expect.stringContaining('did you mean "demo"?')]);
  });

  it('refuses a pool for a cluster that is being deleted', () => {
    const clusters = [aCluster({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })];
    expect(admitNodePool(poolAdmission({}, { clusters }))).toMatchObject([{ field: 'spec.clusterName' }]);
    expect(admitNodePool(poolAdmission({}, { clusters, old: aNodePool() }))).toEqual([]);
  });

  it('warns about nodes that exceed the current quota', () => {
    expect(nodePoolWarnings(poolAdmission({ replicas: 3 }))).toEqual([]);
    expect(nodePoolWarnings(poolAdmission({ replicas: 4 }))).toEqual([expect.stringContaining('has 3 left')]);
    expect(nodePoolWarnings(poolAdmission({ replicas: 4 }, { old: aNodePool({ replicas: 2 }) }))).toEqual([]);
    const floatingIPs = poolAdmission({ replicas: 2, floatingIPs: { enabled: true } });
    expect(nodePoolWarnings(floatingIPs)).toEqual([expect.stringContaining('need 2 floating IPs')]);
  });

  it('warns if replacing nodes with nodes of a different flavor temporarily exceeds the quota', () => {
    const warningsOf = (used: number, replicas: number, from: string, to: string) => {
      const quotas = { cores: { limit: 20, used } };
      const old = { ...aNodePool({ flavor: from, replicas }), status: { replicas } };
      return nodePoolWarnings(poolAdmission({ flavor: to, replicas }, { old, catalogue: { ...catalogue, quotas } }));
    };
    // Three 2-core nodes are replaced by three 4-core nodes: while the last old node exists, the pool needs 12 + 2
    // cores instead of 6.
    expect(warningsOf(12, 3, 'b3-8', 'b3-16')).toEqual([]);
    expect(warningsOf(13, 3, 'b3-8', 'b3-16')).toEqual([
      "spec.flavor (b3-16): replacing the nodes temporarily needs 8 cores, but the project's quota of 20 has 7 left: the replacement will wait until there is room",
    ]);
    // If the nodes get smaller, usage peaks at the first replacement.
    expect(warningsOf(18, 3, 'b3-16', 'b3-8')).toEqual([]);
    expect(warningsOf(19, 3, 'b3-16', 'b3-8')).toEqual([expect.stringContaining('needs 2 cores')]);
    expect(warningsOf(20, 0, 'b3-8', 'b3-16')).toEqual([]);
  });

  it('accepts a pool that exceeds the total quota, because the quota may be raised', () => {
    expect(admitNodePool(poolAdmission({ replicas: 21 }))).toEqual([]);
  });
});
