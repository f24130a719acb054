import { describe, expect, test } from 'vitest';
import { COPIED_LIMITS_ANNOTATION } from '../group.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { copyPatch, sharedLimitsProblem } from './copied-limits.ts';

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

/** The record of a plan after copying `base`; empty if nothing reads `limitsFrom`. */
function recordFor(from: Plan): { from: string; limits: Record<string, string>; notes: string[] } {
  const patch = copyPatch(gold(), from) as { metadata: { annotations: Record<string, string> } } | undefined;
  return JSON.parse(patch?.metadata.annotations[COPIED_LIMITS_ANNOTATION] ?? '{}');
}

const RECORD = recordFor(base());
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
  const metadata = { uid: 'gold', resourceVersion: '7' };
  const marked = (record: object | null) => ({
    ...metadata,
    annotations: { [COPIED_LIMITS_ANNOTATION]: record && JSON.stringify(record) },
  });

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
    expect(copyPatch(plan, found)).toBeUndefined();
  });

  test('copies all limits and notes of the base, with a record of them', () => {
    const limits = {
      kubernetes: { newest: '1.35' },
      allowed: { features: [], proxy: false },
      limitNotes: [KUBERNETES],
    };
    const own = { ...KUBERNETES, value: '1.36' };
    const copied = recordFor(base(limits));

    expect(copyPatch(gold({ limitNotes: [{ ...KUBERNETES, reason: 'other' }, own] }), base(limits))).toEqual({
      metadata: marked(copied),
      spec: { ...limits, limitNotes: [own, KUBERNETES] },
    });
    expect(Object.keys(copied.limits)).toEqual(['kubernetes.newest', 'allowed.proxy', 'allowed.features']);
    expect(copied.notes).toHaveLength(1);
  });

  test('removes what the base no longer states', () => {
    expect(copyPatch(COPIED, base({ maxDrainTimeout: '1h' }))).toEqual({
      metadata: marked(recordFor(base({ maxDrainTimeout: '1h' }))),
      spec: { kubernetes: { newest: null }, maxDrainTimeout: '1h' },
    });
  });

  test('removes what was copied from a plan without limitsFrom, but not values that have changed since', () => {
    const own = { ...KUBERNETES, value: '1.36' };
    const limits: Partial<PlanSpec> = {
      kubernetes: { newest: '1.35' },
      maxDrainTimeout: '1h',
      limitNotes: [KUBERNETES],
    };
    const plan = gold(
      { ...limits, limitsFrom: undefined, maxDrainTimeout: '2h', limitNotes: [own, KUBERNETES] },
      recordFor(base(limits)),
    );

    expect(copyPatch(plan, undefined)).toEqual({
      metadata: marked(null),
      spec: { kubernetes: { newest: null }, limitNotes: [own] },
    });
  });

  test.each(['', 'nonsense', '{}', '{"from":"base","notes":[],"limits":{"maxNodes":"x","__proto__":"x"}}'])(
    'removes no limits because of an annotation that Fairway did not write: %s',
    (record) => {
      const { metadata: found, ...plan } = gold({ limitsFrom: undefined, kubernetes: { newest: '1.35' } });
      const annotated = { ...found, annotations: { [COPIED_LIMITS_ANNOTATION]: record } };

      expect(copyPatch({ ...plan, metadata: annotated }, undefined)).toEqual({ metadata: marked(null), spec: {} });
    },
  );
});
