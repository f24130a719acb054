import { describe, expect, test } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { FEATURE_NAMES, LIMIT_NAMES, type LimitNote } from '../kinds/plan-limits.ts';
import type { PlanServices } from '../kinds/plan-services.ts';
import { aPlan } from '../testing/objects.ts';
import { LIMIT_CATALOGUE, limitsOfPlan, serviceOf } from './catalogue.ts';
import { plainText } from './rich-text.ts';

const NOW_MS = Date.UTC(2026, 10, 30);
const OPTIONS = { brand: 'Example Cloud', nowMs: NOW_MS };
const { network } = aPlan().spec;
const { features: _, ...otherAllowed } = aPlan().spec.allowed ?? {};

/** Limits that are not in LIMIT_NAMES: those of Fairway itself. */
const OTHER_LIMITS = ['magnum.coe', 'magnum.networkDrivers'];

const note = (fields: Partial<LimitNote> & Pick<LimitNote, 'limit'>): LimitNote => ({
  value: '',
  enforcement: 'Refuse',
  ...fields,
});

function limitOf(limit: string, spec: Partial<PlanSpec>) {
  const plan = { ...aPlan(spec), spec: { ...aPlan(spec).spec, services: spec.services } };
  const found = limitsOfPlan(plan, OPTIONS).find((each) => each.limit === limit);
  if (found === undefined) return undefined;
  const { sentences, ...values } = found.statement;
  return { ...values, text: sentences.map(plainText).join(' ') };
}

test('each limit of plans is stated, exactly once', () => {
  const stated = LIMIT_CATALOGUE.map(({ limit }) => limit).toSorted();

  expect(stated).toEqual([...new Set([...LIMIT_NAMES, ...OTHER_LIMITS])].toSorted());
});

test.each<{
  limit: string;
  spec: Partial<PlanSpec>;
  expectedText: string;
  supported?: string[];
  unsupported?: string[];
}>([
  {
    limit: 'kubernetes',
    spec: { kubernetes: { newest: '1.36' }, service: 'Magnum' },
    expectedText: 'The latest Kubernetes version you can install in Example Cloud with Magnum is 1.36.',
    supported: ['up to 1.36'],
  },
  {
    limit: 'kubernetes',
    spec: { kubernetes: { oldest: '1.35', newest: '1.36' }, service: 'Magnum' },
    expectedText:
      'The latest Kubernetes version you can install in Example Cloud with Magnum is 1.36. The oldest Kubernetes version you can install in Example Cloud with Magnum is 1.35.',
    supported: ['1.35 to 1.36'],
  },
  {
    limit: 'network.ipFamilies',
    spec: { network: { ...network, ipFamilies: ['IPv4', 'DualStack'] } },
    expectedText:
      'In Example Cloud, you can use Free to deploy Kubernetes clusters that use either IPv4 or dual stack. IPv6 clusters are not supported.',
    supported: ['IPv4', 'DualStack'],
    unsupported: ['IPv6'],
  },
  {
    limit: 'network.ipFamilies',
    spec: { network: { ...network, ipFamilies: ['IPv4'] } },
    expectedText:
      'In Example Cloud, you can use Free to deploy Kubernetes clusters that use IPv4. IPv6 clusters (whether single-stack or dual-stack) are not supported.',
    supported: ['IPv4'],
    unsupported: ['IPv6', 'DualStack'],
  },
  {
    limit: 'magnum.networkDrivers',
    spec: { service: 'Magnum', cni: { default: 'canal', allowed: ['canal', 'cilium'] } },
    expectedText:
      'The supported Magnum network drivers in Example Cloud are calico and cilium. We do not support the flannel network driver.',
    supported: ['calico', 'cilium'],
    unsupported: ['flannel'],
  },
  {
    limit: 'magnum.networkDrivers',
    spec: { service: 'Magnum', cni: { default: 'cilium', allowed: ['cilium'] } },
    expectedText:
      'The only supported Magnum network driver in Example Cloud is cilium. We do not support the flannel network driver. You cannot use calico.',
    supported: ['cilium'],
    unsupported: ['calico', 'flannel'],
  },
  {
    limit: 'cni.allowed',
    spec: { cni: { default: 'canal', allowed: ['canal', 'none'] } },
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, the supported pod networks are canal and none. You cannot use cilium.',
    supported: ['canal', 'none'],
    unsupported: ['cilium'],
  },
  {
    limit: 'storage.accessModes',
    spec: { storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' } },
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, the only supported PV access mode is ReadWriteOnce (RWO). Cinder volumes cannot have ReadWriteOncePod (RWOP), ReadWriteMany (RWX) or ReadOnlyMany (ROX); shares can.',
    supported: ['ReadWriteOnce'],
    unsupported: ['ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany'],
  },
  {
    limit: 'storage.tenantClasses',
    spec: { storage: { classes: [], tenantClasses: 'Refused' } },
    expectedText:
      'In Example Cloud, clusters of Free contain no storage classes. We do not provide support for any user-defined storage classes.',
    supported: [],
  },
  {
    limit: 'allowed.antiAffinityPolicies',
    spec: { allowed: { antiAffinityPolicies: [] } },
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, no anti-affinity policy of node pools is supported. You cannot use Hard or Soft.',
    supported: [],
    unsupported: ['Hard', 'Soft'],
  },
  {
    limit: 'allowed.features',
    spec: { allowed: { features: FEATURE_NAMES.filter((name) => name !== 'OIDC' && name !== 'Reset') } },
    expectedText: "We do not support sign-in to the clusters' API servers with OpenID Connect or resetting clusters.",
    supported: FEATURE_NAMES.filter((name) => name !== 'OIDC' && name !== 'Reset'),
    unsupported: ['OIDC', 'Reset'],
  },
  {
    limit: 'allowed.proxy',
    spec: { allowed: { proxy: false } },
    expectedText: 'HTTP proxies for nodes are not supported.',
    unsupported: ['proxy'],
  },
  {
    limit: 'maxNodes',
    spec: { maxNodes: 1 },
    expectedText: 'A cluster can have at most 1 node.',
    supported: ['at most 1'],
  },
  {
    limit: 'nodePools.maxNetworks',
    spec: { nodePools: { maxNetworks: 0 } },
    expectedText: 'Node pools cannot have additional networks.',
    unsupported: ['additional networks'],
  },
])('$limit: $expectedText', ({ limit, spec, expectedText, ...values }) => {
  expect(limitOf(limit, spec)).toEqual({ ...values, text: expectedText });
});

test.each<{ services: PlanServices; limit: string; expectedText: string; values: object }>([
  {
    services: { types: ['ClusterIP', 'NodePort', 'ExternalName'] },
    limit: 'services.types',
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, the supported types of Service are ClusterIP, NodePort and ExternalName. You cannot use LoadBalancer.',
    values: { supported: ['ClusterIP', 'NodePort', 'ExternalName'], unsupported: ['LoadBalancer'] },
  },
  {
    services: { refusedAnnotations: [{ key: 'example.org/mode', values: ['a', 'b*'] }] },
    limit: 'services.refusedAnnotations',
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, we do not support example.org/mode (with the values a or b*) annotations for Kubernetes services of the LoadBalancer type.',
    values: { unsupported: ['example.org/mode: a, b*'] },
  },
  {
    services: { loadBalancerProviders: ['amphora', 'ovn'] },
    limit: 'services.loadBalancerProviders',
    expectedText:
      'In Kubernetes clusters of Free in Example Cloud, the supported Octavia providers are amphora and ovn.',
    values: { supported: ['amphora', 'ovn'] },
  },
])('$limit: $expectedText', ({ services, limit, expectedText, values }) => {
  expect(limitOf(limit, { services })).toEqual({ ...values, text: expectedText });
});

test('a plan without limits on a value does not state any', () => {
  const unlimited = aPlan({
    cni: { default: 'canal', allowed: ['canal', 'cilium', 'none'] },
    kubeProxy: { default: 'iptables', allowed: ['iptables', 'ipvs', 'nftables', 'none'] },
    network: { ...network, customCIDRs: true, gatewayRequired: false },
    maxClusters: undefined,
    storage: { tenantClasses: 'Allowed' },
    allowed: { ...otherAllowed, upgradeStrategies: ['InPlace', 'Rolling'], unsafeSysctls: ['*'] },
  });

  expect(limitsOfPlan(unlimited, OPTIONS).map(({ limit }) => limit)).toEqual([
    'allowed.unsafeSysctls',
    'maxNodes',
    'maxPodsPerNode',
  ]);
});

describe('a limit that its note ends', () => {
  const accessModes = (limitNotes: LimitNote[]) =>
    limitOf('storage.accessModes', {
      storage: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], tenantClasses: 'Allowed' },
      limitNotes,
    });
  const ended = { limit: 'storage.accessModes' as const, until: '2026-11-30' };

  test.each([
    { notes: [note(ended)], unsupported: undefined, reason: 'for all values' },
    { notes: [note({ ...ended, value: 'ReadWriteMany' })], unsupported: ['ReadWriteOncePod'], reason: 'for one value' },
    {
      notes: [note({ ...ended, until: '2026-12-01' })],
      unsupported: ['ReadWriteOncePod', 'ReadWriteMany'],
      reason: 'tomorrow',
    },
  ])('excludes $unsupported: $reason', ({ notes, unsupported }) => {
    expect(accessModes(notes)?.unsupported).toEqual(unsupported);
  });

  test('is not stated, even if it has no list of values', () => {
    const limitNotes = [note({ limit: 'allowed.proxy', until: '2026-11-30' })];

    expect(limitOf('allowed.proxy', { allowed: { proxy: false } })).toBeDefined();
    expect(limitOf('allowed.proxy', { allowed: { proxy: false }, limitNotes })).toBeUndefined();
  });
});

test('a plan belongs to its service', () => {
  expect(serviceOf(aPlan({ service: 'OpenStack Magnum' }))).toBe('OpenStack Magnum');
  expect(serviceOf(aPlan({ displayName: 'Free' }))).toBe('Free');
});

test('only services of Magnum state the limits of its API', () => {
  const magnumLimits = (service: string) =>
    limitsOfPlan(aPlan({ service }), OPTIONS).flatMap(({ limit }) => (limit.startsWith('magnum.') ? [limit] : []));

  expect(magnumLimits('OpenStack Magnum')).toEqual(['magnum.coe', 'magnum.networkDrivers']);
  expect(magnumLimits('Managed Kubernetes')).toEqual([]);
});

test('shipped plans state their limits in complete sentences', () => {
  const sentences = SHIPPED_PLANS.flatMap((plan) => limitsOfPlan(plan, OPTIONS)).flatMap(({ statement }) =>
    statement.sentences.map(plainText),
  );

  expect(sentences.length).toBeGreaterThan(10);
  expect(sentences.filter((sentence) => !/^[A-Z].*\.$/.test(sentence))).toEqual([]);
});
