import { API_VERSION, COPIED_LIMITS_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Plan, type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import {
  changePlan,
  createPlan,
  isPlanReady,
  LIMITS,
  limitsOf,
  NO_LIMITS,
  planWhen,
  readyCondition,
} from '../testing/shared-limits.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const OWN_NOTE = { limit: 'maxNodes' as const, value: '', enforcement: 'Refuse' as const, reason: 'small' };

describe('the limits of a plan that others name in limitsFrom', () => {
  test('are copied into each of them, which keep their own', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', {
      limitsFrom: 'base',
      kubernetes: { oldest: '1.34' },
      limitNotes: [OWN_NOTE],
      maxNodes: 7,
    });
    await createPlan(fairway, 'silver', { limitsFrom: 'base' });

    const gold = await planWhen(fairway, 'gold', isPlanReady);
    const silver = await planWhen(fairway, 'silver', isPlanReady);

    expect(limitsOf(silver)).toEqual(LIMITS);
    expect(limitsOf(gold)).toEqual({
      ...LIMITS,
      kubernetes: { oldest: '1.34', newest: '1.35' },
      limitNotes: [OWN_NOTE, ...(LIMITS.limitNotes ?? [])],
    });
    expect(gold.spec.maxNodes).toBe(7);
  });

  test('change and disappear in all of them', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    for (const name of ['gold', 'silver']) await createPlan(fairway, name, { limitsFrom: 'base' });
    for (const name of ['gold', 'silver']) await planWhen(fairway, name, isPlanReady);

    await changePlan(fairway, 'base', {
      cni: { allowed: ['canal', 'none'] },
      kubernetes: null,
      allowed: { features: ['OIDC'], regions: ['GRA'] },
      storage: null,
      limitNotes: [{ limit: 'allowed.regions', value: 'SBG', alternative: 'use GRA' }],
    });

    for (const name of ['gold', 'silver']) {
      const changed = await planWhen(
        fairway,
        name,
        (plan) => isPlanReady(plan) && plan.spec.kubernetes?.newest === undefined,
      );
      expect(limitsOf(changed)).toEqual({
        cni: { default: 'canal', allowed: ['canal', 'none'] },
        kubernetes: undefined,
        allowed: { features: ['OIDC'], regions: ['GRA'] },
        storage: undefined,
        limitNotes: [{ limit: 'allowed.regions', value: 'SBG', enforcement: 'Refuse', alternative: 'use GRA' }],
      });
    }
  });

  test('disappear from a plan without limitsFrom, which keeps its own and those it has changed', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', {
      limitsFrom: 'base',
      kubernetes: { oldest: '1.34' },
      limitNotes: [OWN_NOTE],
    });
    await planWhen(fairway, 'gold', isPlanReady);

    await changePlan(fairway, 'gold', { limitsFrom: null, allowed: { features: [] } });

    const isFree = ({ metadata }: Plan) => metadata.annotations?.[COPIED_LIMITS_ANNOTATION] === undefined;
    const gold = await planWhen(fairway, 'gold', (plan) => isPlanReady(plan) && isFree(plan));
    expect(limitsOf(gold)).toEqual({
      cni: NO_LIMITS.cni,
      kubernetes: { oldest: '1.34' },
      allowed: { features: [] },
      storage: undefined,
      limitNotes: [OWN_NOTE],
    });
  });

  test('take precedence over other values, whoever writes them', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', {
      limitsFrom: 'base',
      kubernetes: { newest: '1.36' },
      limitNotes: [{ limit: 'kubernetes', value: '', enforcement: 'Warn', link: 'https://example.org' }],
    });
    expect(limitsOf(await planWhen(fairway, 'gold', isPlanReady))).toEqual(LIMITS);

    await changePlan(fairway, 'gold', { kubernetes: { newest: '1.36' }, limitNotes: null, allowed: null });

    expect(limitsOf(await planWhen(fairway, 'gold', isPlanReady))).toEqual(LIMITS);
  });

  test('remain if a manifest without them is applied again', async () => {
    await using fairway = await TestFairway.start();
    const { spec } = aPlan({ ...NO_LIMITS, limitsFrom: 'base' });
    const manifest = {
      apiVersion: API_VERSION,
      kind: plans.kind,
      metadata: { name: 'gold' },
      spec: { ...spec, cni: { default: spec.cni.default } },
    };
    const apply = () => fairway.client.resource(plans).apply(manifest as unknown as Plan, { fieldManager: 'gitops' });
    await createPlan(fairway, 'base', LIMITS);
    await apply();
    const gold = await planWhen(fairway, 'gold', isPlanReady);

    const applied = await apply();

    expect(limitsOf(gold)).toEqual(LIMITS);
    expect(applied.metadata.generation).toBe(gold.metadata.generation);
    expect(limitsOf(applied)).toEqual(LIMITS);
  });

  test('are copied from the plan that is named last', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'other', { allowed: { proxy: false } });
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    await planWhen(fairway, 'gold', isPlanReady);

    await changePlan(fairway, 'gold', { limitsFrom: 'other' });

    const gold = await planWhen(fairway, 'gold', (plan) => isPlanReady(plan) && plan.spec.allowed?.proxy === false);
    expect(limitsOf(gold)).toEqual({ ...limitsOf(aPlan(NO_LIMITS)), allowed: { proxy: false } });
  });

  test('are copied again into a restored plan, and disappear from it with those of the base', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    const { metadata, spec } = await planWhen(fairway, 'gold', isPlanReady);
    await fairway.client.resource(plans).delete('gold');
    await eventually(fairway.client.resource(plans), { fieldSelector: 'metadata.name=gold' }, ([plan]) => !plan, {
      clock: fairway.clock,
    });

    await fairway.create(plans, { metadata: { name: 'gold', annotations: { ...metadata.annotations } }, spec });
    const restored = await planWhen(fairway, 'gold', isPlanReady);
    await changePlan(fairway, 'base', { kubernetes: null, limitNotes: null });

    expect(limitsOf(restored)).toEqual(LIMITS);
    const gold = await planWhen(
      fairway,
      'gold',
      (plan) => isPlanReady(plan) && plan.spec.kubernetes?.newest === undefined,
    );
    expect(limitsOf(gold)).toEqual({ ...LIMITS, kubernetes: undefined, limitNotes: undefined });
  });
});

describe('a plan whose limits cannot be copied', () => {
  test.each<{ reason: string; base?: string; spec?: Partial<PlanSpec>; message: string }>([
    {
      reason: 'there is no such plan',
      base: 'lost',
      message: 'spec.limitsFrom: lost: no such plan exists: create it, or name another plan',
    },
    {
      reason: 'it names itself',
      base: 'gold',
      message: 'spec.limitsFrom: gold: a plan cannot share its own limits: name another plan, or remove the field',
    },
    {
      reason: 'its base names another plan',
      spec: { limitsFrom: 'free' },
      message: 'spec.limitsFrom: base: the plan has limitsFrom itself (free): name a plan that states its own limits',
    },
    {
      reason: 'its default is not allowed by the base',
      spec: { cni: { default: 'cilium', allowed: ['cilium'] } },
      message: 'spec.cni.default: canal is not in spec.cni.allowed (cilium)',
    },
  ])('is not Ready: $reason', async ({ base = 'base', spec, message }) => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', spec);
    await createPlan(fairway, 'gold', { limitsFrom: base });

    const gold = await planWhen(fairway, 'gold', (plan) => readyCondition(plan)?.message === message);

    expect(readyCondition(gold)).toMatchObject({ status: 'False', reason: 'ConfigurationInvalid' });
  });

  test('keeps its clusters waiting until its base exists', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    await fairway.createCluster({ plan: 'gold' });

    await fairway.untilReported(
      clusters,
      'PlanNotReady',
      /^spec\.plan: plan "gold" is not Ready and accepts no clusters: spec\.limitsFrom: base: no such plan exists/,
    );
    expect(fairway.runtime.requestedSpecs).toEqual([]);

    await createPlan(fairway, 'base', { kubernetes: { newest: '1.35' } });
    const { status } = await fairway.clusterReady();
    expect(status?.version).toMatch(/^1\.35\./);
  });

  test('keeps its last limits while its base has a base', async () => {
    await using fairway = await TestFairway.start();
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    await planWhen(fairway, 'gold', isPlanReady);

    await changePlan(fairway, 'base', { limitsFrom: 'free', kubernetes: null });
    const broken = await planWhen(fairway, 'gold', (plan) => readyCondition(plan)?.status === 'False');
    await changePlan(fairway, 'base', { limitsFrom: null });
    const repaired = await planWhen(fairway, 'gold', isPlanReady);

    expect(limitsOf(broken)).toEqual(LIMITS);
    expect(repaired.spec.allowed?.features).toEqual(['Hibernation']);
  });
});

test('a deleted plan remains until no other takes its limits from it', async () => {
  await using fairway = await TestFairway.start();
  await createPlan(fairway, 'base', LIMITS);
  await createPlan(fairway, 'gold', { limitsFrom: 'base' });
  await planWhen(fairway, 'gold', isPlanReady);
  await planWhen(fairway, 'base', isPlanReady);

  await fairway.client.resource(plans).delete('base');

  const base = await planWhen(fairway, 'base', (plan) => readyCondition(plan)?.reason === 'ResourceInUse');
  expect(readyCondition(base)?.message).toContain('is being deleted, but plan gold takes its limits from it');
  const gold = await planWhen(fairway, 'gold', (plan) => readyCondition(plan)?.status === 'False');
  expect(readyCondition(gold)?.message).toBe('spec.limitsFrom: base: the plan is being deleted: name another plan');
  await changePlan(fairway, 'gold', { limitsFrom: null });
  await eventually(fairway.client.resource(plans), { fieldSelector: 'metadata.name=base' }, ([plan]) => !plan, {
    clock: fairway.clock,
  });
  await planWhen(fairway, 'gold', isPlanReady);
});
