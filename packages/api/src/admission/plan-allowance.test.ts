import { describe, expect, test } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { NewCluster } from '../kinds/cluster.ts';
import type { NewNodePool } from '../kinds/node-pool.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { aCluster, aNodePool, aPlan } from '../testing/objects.ts';
import { admitCluster, clusterWarnings } from './admit-cluster.ts';
import { admitNodePool } from './admit-node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

const NETWORK = 'aaaaaaaa-0000-4000-8000-000000000000';
const catalogue: CloudCatalogue = {
  regions: ['GRA'],
  flavors: [
    { id: '1', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 },
    { id: '2', name: 'c3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 },
  ],
  images: [{ id: '5', name: 'Debian 12', minDiskGiB: 0, minMemoryMiB: 0 }],
  networks: [{ id: NETWORK, name: 'private', isExternal: false }],
};
const allowed: PlanSpec['allowed'] = {
  flavors: ['b3-*'],
  images: ['Ubuntu *'],
  regions: ['SBG'],
  networks: ['shared-*'],
  upgradeStrategies: ['InPlace'],
  healingStrategies: ['Reinstall'],
  antiAffinityPolicies: ['Soft'],
};
const NOW_MS = Date.UTC(2026, 10, 22);
const plans = () => [aPlan({ allowed, maxDrainTimeout: '15m' })];

test.each([
  { plan: 'free', allows: 'InPlace', refuses: 'Rolling' },
  { plan: 'standard', allows: 'Rolling', refuses: 'InPlace' },
] as const)('allows only upgrade strategy $allows in the shipped plan $plan', ({ plan, allows, refuses }) => {
  const errorsOf = (type: 'InPlace' | 'Rolling' | undefined, old?: 'InPlace' | 'Rolling') => {
    const poolOf = (strategy: typeof type) =>
      aNodePool({ flavor: 'b3-8', upgradeStrategy: strategy && { type: strategy } });
    const clusters = [aCluster({ plan })];
    const admission = { clusters, others: [], plans: SHIPPED_PLANS, catalogue, nowMs: NOW_MS };
    return admitNodePool({ ...admission, pool: poolOf(type), old: old && poolOf(old) });
  };

  expect(errorsOf(refuses)).toEqual([
    {
      type: 'FieldValueNotSupported',
      field: 'spec.upgradeStrategy.type',
      value: refuses,
      detail: `plan "${plan}" allows the upgrade strategies ${allows}: choose one of them, or remove the field`,
    },
  ]);
  expect(errorsOf(refuses, allows)).toHaveLength(1);
  expect([errorsOf(allows), errorsOf(undefined), errorsOf(refuses, refuses)]).toEqual([[], [], []]);
});

describe('a plan with allowlists', () => {
  const errorsOf = (spec: NewCluster['spec'], old?: NewCluster['spec']) =>
    admitCluster({
      cluster: aCluster(spec),
      old: old && aCluster(old),
      plans: plans(),
      releases: SHIPPED_RELEASES,
      catalogue,
      others: [],
      pools: [],
      nowMs: Date.UTC(2026, 10, 22),
    });

  test.each<{ spec: NewCluster['spec']; field: string; expectedMessage: string }>([
    { spec: { region: 'GRA' }, field: 'spec.region', expectedMessage: 'plan "free" allows the regions "SBG"' },
    { spec: {}, field: 'spec.region', expectedMessage: 'plan "free" allows the regions "SBG"' },
    { spec: { image: 'Debian 12' }, field: 'spec.image', expectedMessage: 'plan "free" allows the images "Ubuntu *"' },
    {
      spec: { network: { networkID: NETWORK } },
      field: 'spec.network.networkID',
      expectedMessage: 'allows the networks "shared-*"',
    },
  ])('refuses a cluster at $field: $expectedMessage', ({ spec, field, expectedMessage }) => {
    expect(errorsOf(spec)).toContainEqual(
      expect.objectContaining({ field, detail: expect.stringContaining(expectedMessage) }),
    );
  });

  test('accepts values that are already stored', () => {
    const spec = { image: 'Debian 12', network: { networkID: NETWORK } };

    expect(errorsOf(spec, spec)).toEqual([]);
  });

  const poolErrors = (spec: Partial<NewNodePool['spec']>, old?: Partial<NewNodePool['spec']>) =>
    admitNodePool({
      pool: aNodePool(spec),
      old: old && aNodePool(old),
      clusters: [aCluster()],
      others: [],
      plans: plans(),
      catalogue,
      nowMs: NOW_MS,
    });

  test.each<{ spec: Partial<NewNodePool['spec']>; field: string; expectedMessage: string }>([
    { spec: { flavor: 'c3-8' }, field: 'spec.flavor', expectedMessage: 'plan "free" allows the flavors "b3-*"' },
    { spec: { flavor: '2' }, field: 'spec.flavor', expectedMessage: 'plan "free" allows the flavors "b3-*"' },
    { spec: { image: '5' }, field: 'spec.image', expectedMessage: 'plan "free" allows the images "Ubuntu *"' },
    {
      spec: { antiAffinity: true },
      field: 'spec.antiAffinity',
      expectedMessage:
        'plan "free" only allows antiAffinity with antiAffinityPolicy Soft: choose it, or remove antiAffinity',
    },
    {
      spec: { upgradeStrategy: { type: 'Rolling' } },
      field: 'spec.upgradeStrategy.type',
      expectedMessage: 'plan "free" allows the upgrade strategies InPlace: choose one of them, or remove the field',
    },
    {
      spec: { healing: { strategy: 'Replace' } },
      field: 'spec.healing.strategy',
      expectedMessage: 'plan "free" allows the healing strategies Reinstall: choose one of them, or remove the field',
    },
    {
      spec: { upgradeStrategy: { drainTimeout: '1h' } },
      field: 'spec.upgradeStrategy.drainTimeout',
      expectedMessage: 'plan "free" allows at most 15m',
    },
  ])('refuses a pool at $field: $expectedMessage', ({ spec, field, expectedMessage }) => {
    expect(poolErrors(spec)).toMatchObject([{ field, detail: expect.stringContaining(expectedMessage) }]);
    expect(poolErrors(spec, spec), 'a stored one').toEqual([]);
  });

  test('accepts a flavor specified by ID if its name is allowed', () => {
    expect(poolErrors({ flavor: '1' })).toEqual([]);
  });
});

describe('a move to another plan', () => {
  const status = { podCIDR: '10.2.0.0/16', serviceCIDR: '10.3.0.0/16', cni: 'canal', kubeProxyMode: 'iptables' };
  const old = { ...aCluster({ plan: 'free', network: { gateway: { mode: 'None' } } }), status };
  const standard = SHIPPED_PLANS.find(({ metadata }) => metadata.name === 'standard') as Plan;
  const allowed = {
    flavors: ['c3-*'],
    images: ['ubuntu-*'],
    regions: ['GRA'],
    upgradeStrategies: ['Rolling' as const],
  };
  const restrictedPlan = { ...standard, spec: { ...standard.spec, allowed } };
  const router = { network: { gateway: { mode: 'Router' as const } } };
  const noGateway = { network: { gateway: { mode: 'None' as const } } };
  const admission = { releases: SHIPPED_RELEASES, catalogue: {}, others: [], nowMs: Date.UTC(2026, 10, 22) };
  const pools = [aNodePool({ flavor: 'b3-8' }, { name: 'general' })];

  const errorsOf = (spec: Parameters<typeof aCluster>[0], plan: Plan, others = pools) =>
    admitCluster({
      ...admission,
      cluster: { ...aCluster({ plan: 'standard', ...spec }), status },
      old,
      plans: [plan],
      pools: others,
    });

  test.each([
    {
      spec: noGateway,
      plan: standard,
      field: 'spec.network.gateway.mode',
      expectedMessage: 'requires an OpenStack router',
    },
    {
      spec: { ...router, image: 'debian' },
      plan: restrictedPlan,
      others: [],
      field: 'spec.image',
      expectedMessage: 'plan "standard"',
    },
    {
      spec: router,
      plan: restrictedPlan,
      field: 'spec.plan',
      expectedMessage: 'node pool "general", spec.flavor: plan "standard"',
    },
    {
      spec: router,
      plan: { ...standard, spec: { ...standard.spec, maxNodes: 2 } },
      others: [aNodePool({ replicas: 3 })],
      field: 'spec.plan',
      expectedMessage: 'allows 2 nodes',
    },
  ])("enforces the new plan's limits at $field: $expectedMessage", ({ spec, plan, others, field, expectedMessage }) => {
    expect(errorsOf(spec, plan, others)).toMatchObject([{ field, detail: expect.stringContaining(expectedMessage) }]);
  });

  test("keeps the cluster's ranges, pod network and kube-proxy mode, with a warning", () => {
    expect(errorsOf(router, standard)).toEqual([]);
    expect(clusterWarnings(aCluster({ plan: 'standard' }), old, standard.spec)).toEqual(
      expect.arrayContaining([
        'spec.plan: standard: the cluster keeps pod network canal; the plan gives cilium or none to new clusters',
        'spec.plan: standard: the cluster keeps kube-proxy mode iptables; the plan gives none to new clusters',
      ]),
    );
  });

  test("uses the new plan's ranges if the cluster has none yet, and validates it like a new cluster", () => {
    const newClusterAdmission = {
      ...admission,
      cluster: aCluster({ plan: 'standard', cni: { type: 'canal' }, ...router }),
    };
    const result = admitCluster({
      ...newClusterAdmission,
      old: aCluster({ plan: 'free' }),
      plans: [standard],
      pools: [],
    });

    expect(result).toMatchObject([{ field: 'spec.cni.type' }]);
  });
});

describe('a plan that is not Ready', () => {
  const spec = aPlan().spec;
  const admission = { releases: SHIPPED_RELEASES, catalogue: {}, others: [], pools: [], nowMs: Date.UTC(2026, 10, 22) };

  test.each([
    {
      plan: aPlan({ etcd: { ...spec.etcd, maxMiB: 1 } }),
      expectedMessage: 'spec.etcd.maxMiB: 1: must not be less than baseMiB (10)',
    },
    { plan: aPlan({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), expectedMessage: 'the operator is deleting it' },
  ])('refuses new clusters: $expectedMessage', ({ plan, expectedMessage }) => {
    expect(admitCluster({ ...admission, cluster: aCluster(), old: undefined, plans: [plan] })).toMatchObject([
      { field: 'spec.plan', detail: expect.stringContaining(expectedMessage) },
    ]);
    expect(admitCluster({ ...admission, cluster: aCluster(), old: aCluster(), plans: [plan] })).toEqual([]);
  });
});
