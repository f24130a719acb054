import { describe, expect, test } from 'vitest';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { aCluster, aPlan } from '../testing/objects.ts';
import { admitPlan, planWarnings } from './admit-plan.ts';
import { planReadyErrors } from './plan-allowance.ts';

const NOTE = { limit: 'kubernetes' as const, value: '', enforcement: 'Refuse' as const };
const BASE = aPlan(
  {
    cni: { default: 'canal', allowed: ['canal'] },
    kubernetes: { newest: '1.35' },
    storage: { tenantClasses: 'Refused' },
    limitNotes: [{ ...NOTE, reason: 'not certified' }],
  },
  { name: 'base' },
);
const SHARED: Partial<PlanSpec> = {
  limitsFrom: 'base',
  cni: { default: 'canal', allowed: ['canal', 'cilium', 'none'] },
  kubernetes: undefined,
};
const gold = (spec: Partial<PlanSpec> = {}) => aPlan({ ...SHARED, ...spec }, { name: 'gold' });

function errorsOf(plan: Plan, { old, more = [] }: { old?: Plan; more?: readonly Plan[] } = {}) {
  return admitPlan({ plan, old, plans: [BASE, ...more] }).map(({ field, detail }) => `${field}: ${detail}`);
}

const ADVICE = 'it is copied from there (spec.limitsFrom): remove it here, or change it in plan "base"';

describe('limitsFrom', () => {
  test.each<{ reason: string; plan: Plan; more?: readonly Plan[]; errors: readonly string[] }>([
    { reason: 'the base exists', plan: gold(), errors: [] },
    { reason: 'the base may be created later', plan: gold({ limitsFrom: 'later' }), errors: [] },
    {
      reason: 'it names itself',
      plan: gold({ limitsFrom: 'gold' }),
      errors: ['spec.limitsFrom: a plan cannot share its own limits: name another plan'],
    },
    {
      reason: 'the base has a base',
      plan: gold({ limitsFrom: 'silver' }),
      more: [aPlan({ limitsFrom: 'base' }, { name: 'silver' })],
      errors: [
        'spec.limitsFrom: the plan has limitsFrom itself: name a plan that states its own limits, such as "base"',
      ],
    },
    {
      reason: 'the base is being deleted',
      plan: gold({ limitsFrom: 'old' }),
      more: [aPlan({}, { name: 'old', deletionTimestamp: '2026-11-30T00:00:00Z' })],
      errors: ['spec.limitsFrom: the plan is being deleted: name another plan'],
    },
    {
      reason: 'other plans name this one',
      plan: gold(),
      more: [aPlan({ limitsFrom: 'gold' }, { name: 'platinum' })],
      errors: [
        'spec.limitsFrom: plan "platinum" has limitsFrom: gold, and a plan whose limits others share must state them itself: change plan "platinum" first',
      ],
    },
  ])('is accepted or refused: $reason', ({ plan, more, errors }) => {
    expect(errorsOf(plan, { ...(more && { more }) })).toEqual(errors);
    expect(errorsOf(plan, { old: plan, ...(more && { more }) }), 'stored').toEqual([]);
  });

  test('warns if the base does not exist yet', () => {
    expect(planWarnings({ plan: gold({ limitsFrom: 'later' }), old: undefined, plans: [BASE] })).toEqual([
      'spec.limitsFrom: plan "later" does not exist: clusters cannot use this plan until you create it',
    ]);
  });
});

describe('a limit that the base states', () => {
  const copied = gold({ kubernetes: { newest: '1.35' }, storage: { tenantClasses: 'Refused' } });

  test.each<{ reason: string; plan: Plan; old?: Plan; errors: readonly string[] }>([
    { reason: 'the copied value is sent back', plan: copied, old: copied, errors: [] },
    { reason: 'the same value is the plan’s own', plan: gold({ kubernetes: { newest: '1.35' } }), errors: [] },
    {
      reason: 'another value in a new plan',
      plan: gold({ kubernetes: { newest: '1.36' } }),
      errors: [`spec.kubernetes.newest: plan "base" states "1.35": ${ADVICE}`],
    },
    {
      reason: 'another value in a plan with copied limits',
      plan: gold({ kubernetes: { newest: '1.36' } }),
      old: copied,
      errors: [`spec.kubernetes.newest: plan "base" states "1.35": ${ADVICE}`],
    },
    {
      reason: 'the base has changed, and the new value is not copied yet',
      plan: gold({ kubernetes: { newest: '1.34' }, maxNodes: 7 }),
      old: gold({ kubernetes: { newest: '1.34' } }),
      errors: [],
    },
    {
      reason: 'a plan with limits of its own gets a base',
      plan: gold({ kubernetes: { newest: '1.34' } }),
      old: gold({ limitsFrom: undefined, kubernetes: { newest: '1.34' } }),
      errors: [`spec.kubernetes.newest: plan "base" states "1.35": ${ADVICE}`],
    },
    {
      reason: 'a limit that the base does not state is the plan’s own',
      plan: gold({ kubernetes: { oldest: '1.34' } }),
      errors: [],
    },
    {
      reason: 'another note on the same limit',
      plan: gold({ limitNotes: [{ ...NOTE, enforcement: 'Warn' }] }),
      errors: [`spec.limitNotes[0]: plan "base" has a note on the same limit and value: ${ADVICE}`],
    },
    {
      reason: 'a note on a value of that limit',
      plan: gold({ limitNotes: [{ ...NOTE, value: '1.36' }] }),
      errors: [],
    },
  ])('is accepted or refused: $reason', ({ plan, old, errors }) => {
    expect(errorsOf(plan, { ...(old && { old }) })).toEqual(errors);
  });

  test.each([
    {
      reason: 'a default value cannot be told from an omitted field',
      change: { storage: { tenantClasses: 'Allowed' as const } },
      warning: `spec.storage.tenantClasses: Fairway restores "Refused": ${ADVICE}`,
    },
    {
      reason: 'a manifest without the field replaces the plan',
      change: { kubernetes: undefined },
      warning: `spec.kubernetes.newest: Fairway restores "1.35": ${ADVICE}`,
    },
  ])('is restored with a warning: $reason', ({ change, warning }) => {
    const plan = { ...copied, spec: { ...copied.spec, ...change } };

    expect(planWarnings({ plan, old: copied, plans: [BASE] })).toEqual([warning]);
    expect(errorsOf(plan, { old: copied })).toEqual([]);
  });
});

test('a plan accepts no clusters until the limits of its base are copied', () => {
  const cluster = aCluster({ plan: 'gold' });

  expect(planReadyErrors({ cluster, old: undefined, plans: [BASE, gold()] }, gold())).toMatchObject([
    {
      field: 'spec.plan',
      detail: expect.stringContaining('spec.limitsFrom: the limits of plan "base" are not copied yet'),
    },
  ]);
  expect(planReadyErrors({ cluster, old: cluster, plans: [BASE, gold()] }, gold()), 'an existing cluster').toEqual([]);
});
