import { expect, test } from 'vitest';
import { fullestOtherQuota, isNearlyFull, quotaOf } from './quotas.ts';

function profile(quotas: Readonly<Record<string, readonly [used: number, limit: number]>>) {
  return { status: { quotas: Object.entries(quotas).map(([name, [used, limit]]) => ({ name, used, limit })) } };
}

test('treats a limit of -1 as unlimited', () => {
  expect(quotaOf(profile({ cores: [7, -1] }), 'cores')).toEqual({ name: 'cores', used: 7, limit: undefined });
});

test.each([
  { quotas: { cores: [89, 100] }, full: false },
  { quotas: { cores: [90, 100] }, full: true },
  { quotas: { cores: [900, -1] }, full: false },
  { quotas: { keypairs: [0, 0] }, full: false },
] as const)('$quotas is nearly full: $full', ({ quotas, full }) => {
  expect(isNearlyFull(profile(quotas))).toBe(full);
});

test('finds the fullest quota that has no column to itself', () => {
  const quotas = { instances: [10, 10], ports: [5, 10], networks: [6, 10], routers: [9, -1], shares: [0, 0] } as const;

  expect(fullestOtherQuota(profile(quotas))?.name).toBe('networks');
  expect(fullestOtherQuota(profile({}))).toBeUndefined();
});
