import { describe, expect, test } from 'vitest';
import { COPIED_LIMITS_ANNOTATION } from '../group.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { nextCopyStep, sharedLimitsProblem } from './copied-limits.ts';

const KUBERNETES: LimitNote = { limit: 'kubernetes', value: '', enforcement: 'Refuse', reason: 'not certified' };
const UNLIMITED: Partial<PlanSpec> = {
  cni: { default: 'canal', allowed: ['canal', 'cilium', 'none'] },
  kubeProxy: { default: 'iptables', allowed: ['iptables', 'ipvs', 'nftables', 'none'] },
  allowed: undefined,
  nodePools: undefined,
  storage: undefined,
  maxDrainTimeout: undefined,
};

function base(spec: Partial<PlanSpec> = { kubernetes: { newest: '1.35' } }, metadata: Plan['metadata'] = {}): Plan {
  return aPlan({ ...UNLIMITED, ...spec }, { name: 'base', uid: 'base', ...metadata });
}

function gold(spec: Partial<PlanSpec> = {}, record?: object | string): Plan {
  const annotations = record && {
    [COPIED_LIMITS_ANNOTATION]: typeof record === 'string' ? record : JSON.stringify(record),
  };
  const metadata = { name: 'gold', uid: 'gold', resourceVersion: '7', ...(annotations && { annotations }) };
  return aPlan({ ...UNLIMITED, limitsFrom: 'base', ...spec }, metadata);
}

const RECORD = { from: 'base', uid: 'gold', limits: ['kubernetes.newest'], notes: [] as string[][] };
const COPIED = gold({ kubernetes: { newest: '1.35' } }, RECORD);

describe('a plan with limitsFrom', () => {
  test.each<{ reason: string; plan: Plan; found: Plan | undefined; problem: string }>([
    { reason: 'its limits are copied', plan: COPIED, found: base(), problem: 'none' },
    { reason: 'nothing is copied', plan: gold(), found: base(), problem: 'are not copied yet' },
    {
      reason: 'the values are not those that were copied',
      plan: gold({ kubernetes: { newest: '1.36' } }, RECORD),
      found: base(),
      problem: 'are not copied yet',
    },
    {
      reason: 'the same values are its own, and would remain if the base removed them',
      plan: gold({ kubernetes: { newest: '1.35' } }),
      found: base(),
      problem: 'are not copied yet',
    },
    {
      reason: 'a limit that the base has removed is still copied',
      plan: COPIED,
      found: base({}),
      problem: 'are not copied yet',
    },
    {
      reason: 'a note is missing',
      plan: COPIED,
      found: base({ kubernetes: { newest: '1.35' }, limitNotes: [KUBERNETES] }),
      problem: 'are not copied yet',
    },
    {
      reason: 'the limits of another plan are copied',
      plan: gold({ kubernetes: { newest: '1.35' } }, { ...RECORD, from: 'other' }),
      found: base(),
      problem: 'are not copied yet',
    },
    {
      reason: 'its base does not exist',
      plan: COPIED,
      found: undefined,
      problem: 'base: no such plan exists: create it',
    },
    {
      reason: 'its base is being deleted',
      plan: COPIED,
      found: base(undefined, { deletionTimestamp: '2026-11-30T00:00:00Z' }),
      problem: 'base: the plan is being deleted: name another plan',
    },
    {
      reason: 'its base has a base',
      plan: COPIED,
      found: base({ limitsFrom: 'root' }),
      problem: 'base: the plan has limitsFrom itself (root): name a plan that states its own limits',
    },
    {
      reason: 'it names itself',
      plan: gold({ limitsFrom: 'gold' }),
      found: gold({ limitsFrom: 'gold' }),
      problem: 'gold: a plan cannot share its own limits',
    },
    {
      reason: 'there are too many notes',
      plan: gold({
        limitNotes: Array.from({ length: 100 }, (_, index) => ({ ...KUBERNETES, value: `1.${index}` })),
      }),
      found: base({ limitNotes: [KUBERNETES] }),
      problem: 'there are 101, but at most 100 are possible: remove some',
    },
  ])('$problem: $reason', ({ plan, found, problem }) => {
    expect(sharedLimitsProblem(plan, found) ?? 'none').toContain(problem);
  });

  test('without the field, a plan has no such problem', () => {
    expect(sharedLimitsProblem(gold({ limitsFrom: undefined }), undefined)).toBeUndefined();
  });
});

describe('the next write', () => {
  const identity = { apiVersion: 'fairway.dev/v1alpha1', kind: 'Plan' };

  test.each<{ reason: string; plan: Plan; found: Plan | undefined }>([
    { reason: 'everything is copied', plan: COPIED, found: base() },
    { reason: 'nothing was ever copied', plan: gold({ limitsFrom: undefined }), found: undefined },
    { reason: 'the copied limits remain until the base is known', plan: COPIED, found: undefined },
    { reason: 'the base has a base', plan: COPIED, found: base({ limitsFrom: 'root' }) },
    {
      reason: 'the plan is being deleted',
      plan: { ...gold(), metadata: { ...gold().metadata, deletionTimestamp: '2026-11-30T00:00:00Z' } },
      found: base(),
    },
  ])('is none: $reason', ({ plan, found }) => {
    expect(nextCopyStep(plan, found)).toBeUndefined();
  });

  /** The objects that every plan has. */
  const parents = { network: {}, cni: {}, kubeProxy: {} };

  test('applies all limits and notes of the base, and the record of them', () => {
    const limits = {
      kubernetes: { newest: '1.35' },
      allowed: { features: [], proxy: false },
      limitNotes: [KUBERNETES],
    };
    const record = { ...RECORD, limits: ['kubernetes.newest', 'allowed.proxy', 'allowed.features'] };
    const annotations = { [COPIED_LIMITS_ANNOTATION]: JSON.stringify({ ...record, notes: [['kubernetes', '']] }) };

    expect(nextCopyStep(gold(), base(limits))).toEqual({
      kind: 'apply',
      object: { ...identity, metadata: { name: 'gold', uid: 'gold', annotations }, spec: { ...parents, ...limits } },
    });
  });

  test('applies empty objects if the plan no longer has limitsFrom: what this manager applied before is removed', () => {
    const spec = { limitsFrom: undefined, kubernetes: { newest: '1.35' }, limitNotes: [KUBERNETES] };

    expect(nextCopyStep(gold(spec, RECORD), undefined)).toEqual({
      kind: 'apply',
      object: {
        ...identity,
        metadata: { name: 'gold', uid: 'gold' },
        spec: { ...parents, kubernetes: {}, limitNotes: [] },
      },
    });
  });

  test('removes what was copied into the plan of which this is a copy: no manager here owns it', () => {
    const own = { ...KUBERNETES, value: '1.36' };
    const record = { ...RECORD, uid: 'backed-up', notes: [['kubernetes', '']] };

    expect(
      nextCopyStep(gold({ kubernetes: { newest: '1.34' }, limitNotes: [KUBERNETES, own] }, record), base()),
    ).toEqual({
      kind: 'patch',
      value: {
        metadata: { uid: 'gold', resourceVersion: '7', annotations: { [COPIED_LIMITS_ANNOTATION]: null } },
        spec: { kubernetes: { newest: null }, limitNotes: [own] },
      },
    });
  });

  test.each(['', 'nonsense', '{}', '{"uid":"x","from":"","notes":[],"limits":["maxNodes","__proto__.a"]}'])(
    'removes only the annotation if it is not a record of copied limits: %s',
    (record) => {
      const metadata = { ...gold().metadata, annotations: { [COPIED_LIMITS_ANNOTATION]: record } };

      expect(nextCopyStep({ ...gold(), metadata }, base())).toEqual({
        kind: 'patch',
        value: {
          metadata: { uid: 'gold', resourceVersion: '7', annotations: { [COPIED_LIMITS_ANNOTATION]: null } },
          spec: {},
        },
      });
    },
  );
});
