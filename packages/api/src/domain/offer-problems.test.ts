import { expect, test } from 'vitest';
import { SHIPPED_RELEASES } from '../data/kubernetes-releases.ts';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { Plan } from '../kinds/plan.ts';
import { planProblems, releaseProblems } from './offer-problems.ts';

const [plan] = SHIPPED_PLANS as readonly [Plan];
const [release] = SHIPPED_RELEASES as readonly [KubernetesRelease];

test('what is shipped is sound', () => {
  expect(SHIPPED_PLANS.flatMap(planProblems)).toEqual([]);
  expect(SHIPPED_RELEASES.flatMap(releaseProblems)).toEqual([]);
});

test.each([
  {
    spec: { ...plan.spec, network: { ...plan.spec.network, serviceCIDR: plan.spec.network.podCIDR } },
    problem: 'spec.network.podCIDR and spec.network.serviceCIDR overlap',
  },
  {
    spec: { ...plan.spec, cni: { default: 'cilium' as const, allowed: ['canal' as const] } },
    problem: 'cilium is not among spec.cni.allowed (canal)',
  },
])('a plan is not ready: $problem', ({ spec, problem }) => {
  expect(planProblems({ ...plan, spec })).toEqual([expect.stringContaining(problem)]);
});

test.each([
  { change: { minor: '1.99' }, problem: 'must be the minor version 1.99' },
  {
    change: {
      phase: 'Supported' as const,
      patches: release.spec.patches.map((patch) => ({ ...patch, withdrawn: true })),
    },
    problem: 'all are withdrawn',
  },
])('a release is not ready: $problem', ({ change, problem }) => {
  expect(releaseProblems({ ...release, spec: { ...release.spec, ...change } })[0]).toContain(problem);
});
