import { expect, test } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { aPlan } from '../testing/objects.ts';
import { planProblems } from './plan-problems.ts';

const [{ spec }] = SHIPPED_PLANS as readonly [Plan];

test('finds no problems in shipped plans', () => {
  expect(SHIPPED_PLANS.flatMap(planProblems)).toEqual([]);
});

test.each<{ change: Partial<PlanSpec>; problem: string }>([
  {
    change: { controlPlane: { topology: 'MultiZone', replicas: 1 } },
    problem: 'spec.controlPlane.replicas: 1: MultiZone requires at least 3, to survive the loss of a zone',
  },
  {
    change: { controlPlane: { topology: 'SingleZone', replicas: 2 } },
    problem:
      'spec.controlPlane.replicas: 2: must be odd: an even number of etcd members tolerates no more failures than one fewer',
  },
  {
    change: { etcd: { ...spec.etcd, baseMiB: 500 } },
    problem: 'spec.etcd.maxMiB: 400: must not be less than baseMiB (500): raise it, or lower baseMiB',
  },
  {
    change: { etcd: { ...spec.etcd, snapshots: { interval: '200h', keep: 7 } } },
    problem: 'spec.etcd.snapshots.interval: 200h: must be at most 168h; remove snapshots to take none',
  },
  {
    change: { cni: { default: 'cilium', allowed: ['canal'] } },
    problem: 'spec.cni.default: cilium is not in spec.cni.allowed (canal)',
  },
  {
    change: { kubeProxy: { default: 'ipvs', allowed: ['iptables'] } },
    problem: 'spec.kubeProxy.default: ipvs is not in spec.kubeProxy.allowed (iptables)',
  },
  {
    change: { kubeProxy: { default: 'none', allowed: ['none', 'iptables'] } },
    problem:
      'spec.kubeProxy.default: none: canal, the default of spec.cni, needs kube-proxy for Services: choose a mode, or another pod network',
  },
  {
    change: {
      cni: { default: 'cilium', allowed: ['cilium', 'canal'] },
      kubeProxy: { default: 'none', allowed: ['none'] },
    },
    problem:
      'spec.cni.allowed: canal needs kube-proxy, but spec.kubeProxy.allowed has no mode: allow one, or remove the pod network',
  },
  {
    change: { kubernetes: { oldest: '1.36', newest: '1.35' } },
    problem: 'spec.kubernetes.oldest: 1.36: must not be newer than newest (1.35)',
  },
  {
    change: { network: { ...spec.network, ipFamilies: ['IPv6', 'DualStack'] } },
    problem:
      'spec.network.ipFamilies: IPv6, DualStack: does not include IPv4, but this release only builds IPv4 clusters: add IPv4',
  },
  {
    change: {
      services: {
        refusedAnnotations: [
          { key: 'example.org/a', values: ['a*'] },
          { key: 'b*', values: ['a'] },
        ],
      },
    },
    problem:
      'spec.services.refusedAnnotations[1].values: must not be set for b*, which is a pattern: refuse all values, or name the key',
  },
  {
    change: { limitNotes: [{ limit: 'maxNodes', value: '', enforcement: 'Warn' }] },
    problem:
      'spec.limitNotes[0]: maxNodes is always enforced: remove enforcement, since and until, or change the limit itself',
  },
  {
    change: {
      limitNotes: [
        {
          limit: 'storage.accessModes',
          value: 'ReadWriteMany',
          enforcement: 'Refuse',
          since: '2026-06-01',
          until: '2026-06-01',
        },
      ],
    },
    problem:
      'spec.limitNotes[0].until: 2026-06-01: must be later than since (2026-06-01), otherwise storage.accessModes ReadWriteMany is never limited',
  },
  {
    change: { allowed: { healingStrategies: ['Replace'] } },
    problem: 'spec.healing.strategy: Reinstall is not in spec.allowed.healingStrategies (Replace)',
  },
  {
    change: { allowed: { upgradeStrategies: ['Rolling'] } },
    problem: 'spec.upgradeStrategy: InPlace is not in spec.allowed.upgradeStrategies (Rolling)',
  },
  {
    change: { network: { ...spec.network, serviceCIDR: '10.2.128.0/17' } },
    problem:
      'spec.network.podCIDR 10.2.0.0/16 and spec.network.serviceCIDR 10.2.128.0/17 overlap: choose CIDRs that do not overlap',
  },
  {
    change: { network: { ...spec.network, nodesCIDR: '172.17.0.0/20' } },
    problem:
      'spec.network.nodesCIDR 172.17.0.0/20 and spec.network.reservedCIDRs[0] 172.17.0.0/16 overlap: choose CIDRs that do not overlap',
  },
  {
    change: { network: { ...spec.network, serviceCIDR: '10.3.0.0/30' } },
    problem:
      'spec.network.serviceCIDR: 10.3.0.0/30: must be a /28 or larger: it also contains the addresses of the API server and DNS',
  },
  {
    change: { network: { ...spec.network, podCIDR: '127.0.0.0/16' } },
    problem:
      'spec.network.podCIDR: 127.0.0.0/16: contains addresses that cannot be routed: choose a private CIDR, such as 10.2.0.0/16',
  },
  {
    change: { maxNodes: 257 },
    problem:
      'spec.maxNodes: 257: spec.network.podCIDR 10.2.0.0/16 has a /24 for the pods of 256 nodes: lower it, or choose a larger CIDR',
  },
  {
    change: { network: { ...spec.network, nodesCIDR: '10.1.0.0/26' } },
    problem:
      'spec.maxNodes: 100: spec.network.nodesCIDR 10.1.0.0/26 has addresses for 55 nodes: lower it, or choose a larger CIDR',
  },
  {
    change: { drainTimeout: '20m', maxDrainTimeout: '15m' },
    problem: 'spec.drainTimeout: 20m: must not be more than maxDrainTimeout (15m)',
  },
  {
    change: { healing: { strategy: 'Replace', notReadyTimeout: '5s' } },
    problem: 'spec.healing.notReadyTimeout: 5s: must be at least 1m: otherwise nodes that restart would be repaired',
  },
])('reports a plan that is not ready: $problem', ({ change, problem }) => {
  expect(planProblems(aPlan(change))).toEqual([problem]);
});

test('accepts two reserved ranges that overlap', () => {
  const network = { ...spec.network, reservedCIDRs: ['172.17.0.0/16', '172.17.1.0/24'] };

  expect(planProblems(aPlan({ network }))).toEqual([]);
});
