import { expect, test } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { aPlan } from '../testing/objects.ts';
import { planProblems } from './plan-problems.ts';

const [{ spec }] = SHIPPED_PLANS as readonly [Plan];

test('what is shipped is sound', () => {
  expect(SHIPPED_PLANS.flatMap(planProblems)).toEqual([]);
});

test.each<{ change: Partial<PlanSpec>; problem: string }>([
  {
    change: { controlPlane: { topology: 'MultiZone', replicas: 1 } },
    problem: 'spec.controlPlane.replicas: 1: MultiZone needs 3 at least, to survive the loss of a zone',
  },
  {
    change: { controlPlane: { topology: 'SingleZone', replicas: 2 } },
    problem:
      'spec.controlPlane.replicas: 2: must be odd: an even number of etcd members survives no more losses than one fewer',
  },
  {
    change: { etcd: { ...spec.etcd, baseMiB: 500 } },
    problem: 'spec.etcd.maxMiB: 400: is less than baseMiB (500): raise it, or lower baseMiB',
  },
  {
    change: { etcd: { ...spec.etcd, snapshots: { interval: '200h', keep: 7 } } },
    problem: 'spec.etcd.snapshots.interval: 200h: must be at most 168h; leave snapshots out to take none',
  },
  {
    change: { cni: { default: 'cilium', allowed: ['canal'] } },
    problem: 'spec.cni.default: cilium is not among spec.cni.allowed (canal)',
  },
  {
    change: { kubeProxy: { default: 'ipvs', allowed: ['iptables'] } },
    problem: 'spec.kubeProxy.default: ipvs is not among spec.kubeProxy.allowed (iptables)',
  },
  {
    change: { kubeProxy: { default: 'none', allowed: ['none', 'iptables'] } },
    problem:
      'spec.kubeProxy.default: none: canal, the default of spec.cni, leaves Services to kube-proxy: choose a mode, or another pod network',
  },
  {
    change: {
      cni: { default: 'cilium', allowed: ['cilium', 'canal'] },
      kubeProxy: { default: 'none', allowed: ['none'] },
    },
    problem:
      'spec.cni.allowed: canal needs kube-proxy, and spec.kubeProxy.allowed has none: allow a mode, or take it out',
  },
  {
    change: { allowed: { healingStrategies: ['Replace'] } },
    problem: 'spec.healing.strategy: Reinstall is not among spec.allowed.healingStrategies (Replace)',
  },
  {
    change: { allowed: { upgradeStrategies: ['Rolling'] } },
    problem: 'spec.upgradeStrategy: InPlace is not among spec.allowed.upgradeStrategies (Rolling)',
  },
  {
    change: { network: { ...spec.network, serviceCIDR: '10.2.128.0/17' } },
    problem: 'spec.network.podCIDR 10.2.0.0/16 and spec.network.serviceCIDR 10.2.128.0/17 overlap: separate them',
  },
  {
    change: { network: { ...spec.network, nodesCIDR: '172.17.0.0/20' } },
    problem:
      'spec.network.nodesCIDR 172.17.0.0/20 and spec.network.reservedCIDRs[0] 172.17.0.0/16 overlap: separate them',
  },
  {
    change: { network: { ...spec.network, serviceCIDR: '10.3.0.0/30' } },
    problem:
      'spec.network.serviceCIDR: 10.3.0.0/30: must be a /28 or larger: the API server and DNS have an address in it too',
  },
  {
    change: { network: { ...spec.network, podCIDR: '127.0.0.0/16' } },
    problem:
      'spec.network.podCIDR: 127.0.0.0/16: has addresses that cannot be routed: choose a private range, such as 10.2.0.0/16',
  },
  {
    change: { maxNodes: 257 },
    problem:
      'spec.maxNodes: 257: spec.network.podCIDR 10.2.0.0/16 has a /24 of pods for 256 nodes: lower it, or choose a larger range',
  },
  {
    change: { network: { ...spec.network, nodesCIDR: '10.1.0.0/26' } },
    problem:
      'spec.maxNodes: 100: spec.network.nodesCIDR 10.1.0.0/26 has addresses for 55 nodes: lower it, or choose a larger range',
  },
  {
    change: { drainTimeout: '20m', maxDrainTimeout: '15m' },
    problem: 'spec.drainTimeout: 20m: is more than maxDrainTimeout (15m)',
  },
  {
    change: { healing: { strategy: 'Replace', notReadyTimeout: '5s' } },
    problem: 'spec.healing.notReadyTimeout: 5s: must be at least 1m: nodes that restart would be healed',
  },
])('a plan is not ready: $problem', ({ change, problem }) => {
  expect(planProblems(aPlan(change))).toEqual([problem]);
});

test('two reserved ranges may overlap', () => {
  const network = { ...spec.network, reservedCIDRs: ['172.17.0.0/16', '172.17.1.0/24'] };

  expect(planProblems(aPlan({ network }))).toEqual([]);
});
