import { expect, test } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

const RATE = { burst: 3, perMinute: 60 };

test('allows a burst per key, and then the rate', () => {
  const buckets = new TokenBuckets(RATE, 10);

  expect([1, 2, 3, 4].map(() => buckets.tryTake('a', 0))).toEqual([true, true, true, false]);
  expect([1_000, 1_000].map((nowMs) => buckets.tryTake('a', nowMs))).toEqual([true, false]);
  expect(buckets.tryTake('b', 1_000)).toBe(true);
  expect(buckets.left('a', 3_000)).toBe(2);
  expect(buckets.left('a', 60_000)).toBe(RATE.burst);
});

test('takes no token and creates no entry when reading the remaining tokens', () => {
  const buckets = new TokenBuckets(RATE, 1);
  buckets.tryTake('a', 0);
  for (let key = 0; key < 10; key++) expect(buckets.left(String(key), 0)).toBe(RATE.burst);

  expect(buckets.left('a', 0)).toBe(2);
});

test('adds no tokens when the clock goes backwards', () => {
  const buckets = new TokenBuckets(RATE, 10);
  buckets.tryTake('a', 60_000);

  expect(buckets.left('a', 0)).toBe(2);
});
