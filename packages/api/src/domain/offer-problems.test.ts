import { expect, test } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import type { Plan } from '../kinds/plan.ts';
import { planProblems } from './offer-problems.ts';

const [plan] = SHIPPED_PLANS as readonly [Plan];

test('what is shipped is sound', () => {
  expect(SHIPPED_PLANS.flatMap(planProblems)).toEqual([]);
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
