import { expect, test } from 'vitest';
import { RetryAfter } from './retry-after.ts';

test('increases Retry-After up to half a minute while many requests are rejected, and decreases it as rejections become fewer', () => {
  const retryAfter = new RetryAfter();
  const second = (at: number, count: number) => {
    for (let index = 0; index < count; index++) retryAfter.rejected(at * 1000 + index);
    return retryAfter.seconds;
  };

  expect(second(1000, 1)).toBe(1);
  expect(second(1001, 5)).toBe(1);
  expect(second(1002, 200)).toBe(2);
  expect(second(1003, 200)).toBe(2);
  expect(second(1004, 200)).toBe(4);
  for (let at = 1005; at < 1100; at++) second(at, 200);
  expect(retryAfter.seconds).toBe(32);
  for (let at = 2000; at < 2100; at += 40) second(at, 1);
  expect(retryAfter.seconds).toBe(29);
});
