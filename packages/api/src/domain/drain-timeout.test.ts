import { expect, test } from 'vitest';
import { aNodePool, aPlan } from '../testing/objects.ts';
import { drainTimeoutMs } from './drain-timeout.ts';

test.each([
  { pool: undefined, plan: '7m', most: undefined, ms: 420_000 },
  { pool: '3m', plan: '7m', most: undefined, ms: 180_000 },
  { pool: '30m', plan: '7m', most: '15m', ms: 900_000 },
  { pool: '3m', plan: '7m', most: '15m', ms: 180_000 },
])('is $ms ms with pool $pool, plan $plan and maximum $most', ({ pool, plan, most, ms }) => {
  const { spec } = aNodePool(pool === undefined ? {} : { upgradeStrategy: { drainTimeout: pool } });

  expect(drainTimeoutMs(spec, aPlan({ drainTimeout: plan, maxDrainTimeout: most }).spec)).toBe(ms);
});

test('is undefined if neither pool nor plan is known', () => {
  expect(drainTimeoutMs(undefined, undefined)).toBeUndefined();
});
