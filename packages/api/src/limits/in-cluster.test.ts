import { expect, test } from 'vitest';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { type Excess, enforceLimits, enforcementChangeDelayMs, featureExcess, inClusterLimits } from './in-cluster.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 30, 12);
const EXCESS: Excess = { limit: 'services.types', value: 'NodePort', problem: 'not allowed' };
const note = (fields: Partial<LimitNote>): LimitNote => ({
  limit: 'services.types',
  value: '',
  enforcement: 'Refuse',
  ...fields,
});

test.each<{ reason: string; notes: LimitNote[]; refusals: readonly string[]; warnings: readonly string[] }>([
  { reason: 'without a note', notes: [], refusals: ['not allowed'], warnings: [] },
  {
    reason: 'the note is on this value',
    notes: [note({ value: 'NodePort', enforcement: 'Warn', reason: 'not reachable' })],
    refusals: [],
    warnings: ['not allowed. Not reachable'],
  },
  {
    reason: 'the note is on another value',
    notes: [note({ value: 'LoadBalancer', enforcement: 'Warn' })],
    refusals: ['not allowed'],
    warnings: [],
  },
  { reason: 'enforcement has ended', notes: [note({ until: '2026-11-30' })], refusals: [], warnings: [] },
])('refuses $refusals and warns $warnings: $reason', ({ notes, refusals, warnings }) => {
  const limits = inClusterLimits(aPlan({ limitNotes: notes }).spec);

  expect(enforceLimits([EXCESS], limits, NOW_MS)).toEqual({ refusals, warnings });
});

test.each<{ reason: string; notes: LimitNote[]; expectedMs: number | undefined }>([
  { reason: 'no date', notes: [note({})], expectedMs: undefined },
  { reason: 'only past dates', notes: [note({ since: '2026-11-01', until: '2026-11-30' })], expectedMs: undefined },
  { reason: 'the next date', notes: [note({ since: '2026-12-01', until: '2026-12-05' })], expectedMs: 12 * HOUR_MS },
  { reason: 'a day at most', notes: [note({ until: '2030-01-01' })], expectedMs: 24 * HOUR_MS },
])('the next change of enforcement is in $expectedMs ms: $reason', ({ notes, expectedMs }) => {
  expect(enforcementChangeDelayMs({ limitNotes: notes }, NOW_MS)).toBe(expectedMs);
});

test('a feature is an excess only of plans that exclude it', () => {
  expect(featureExcess({}, 'Shares')).toBeUndefined();
  expect(featureExcess({ allowed: { features: ['Shares'] } }, 'Shares')).toBeUndefined();
  expect(featureExcess({ allowed: { features: [] } }, 'Shares')).toMatchObject({
    limit: 'allowed.features',
    value: 'Shares',
  });
});
