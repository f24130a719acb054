import type { Schema } from '@fairway/apiserver/schema/schema';
import { describe, expect, test } from 'vitest';
import { plans } from '../kinds/plan.ts';
import { LIMIT_NAMES } from '../kinds/plan-limits.ts';
import { structuralSchema } from '../schema/structural-schema.ts';
import { aPlan } from '../testing/objects.ts';
import { COPIED_PATHS, NOT_COPIED, sharedNotes, statedLimits, UNLIMITED } from './shared-limits.ts';

test.each(LIMIT_NAMES)('%s is copied, or there is a reason why not', (limit) => {
  const isCopied = COPIED_PATHS.some((path) => path === limit || path.startsWith(`${limit}.`));

  expect(isCopied).not.toBe(NOT_COPIED[limit] !== undefined);
});

describe('each copied path', () => {
  const schema = structuralSchema(plans.spec);
  const at = (path: string) =>
    path.split('.').reduce<Schema | undefined>((level, name) => level?.properties?.[name], schema);

  test.each(COPIED_PATHS)('%s is a scalar or an atomic list', (path) => {
    const { type, 'x-kubernetes-list-type': listType } = at(path) ?? {};

    expect(['string', 'boolean', 'integer', 'array']).toContain(type);
    expect(listType).toBeUndefined();
  });

  test.each(COPIED_PATHS)('%s states nothing with its default', (path) => {
    expect(at(path)?.default).toEqual(UNLIMITED[path]);
  });
});

test('a plan states the limits that it has, except defaults', () => {
  const plan = aPlan({
    cni: { default: 'canal', allowed: ['none', 'cilium', 'canal'] },
    kubeProxy: { default: 'iptables', allowed: ['iptables'] },
    kubernetes: { newest: '1.35' },
    maxDrainTimeout: '1h',
    allowed: { features: [], proxy: false },
    nodePools: { maxServerTags: 0 },
    storage: { tenantClasses: 'Allowed', accessModes: ['ReadWriteOnce'] },
  });

  expect(statedLimits(plan)).toEqual([
    { path: 'kubernetes.newest', value: '1.35' },
    { path: 'kubeProxy.allowed', value: ['iptables'] },
    { path: 'maxDrainTimeout', value: '1h' },
    { path: 'allowed.proxy', value: false },
    { path: 'allowed.features', value: [] },
    { path: 'nodePools.maxServerTags', value: 0 },
    { path: 'storage.accessModes', value: ['ReadWriteOnce'] },
  ]);
});

test('a plan shares only notes on limits that it shares', () => {
  const note = (limit: 'kubernetes' | 'maxNodes') => ({ limit, value: '', enforcement: 'Refuse' as const });

  expect(sharedNotes(aPlan({ limitNotes: [note('maxNodes'), note('kubernetes')] }))).toEqual([note('kubernetes')]);
});
