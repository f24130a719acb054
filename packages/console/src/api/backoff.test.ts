import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('doubles its delays, up to 30 s', () => {
  const backoff = new Backoff(() => 1);
  const pauses = Array.from({ length: 8 }, () => backoff.nextMs());

  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('spreads clients that were given the same Retry-After', () => {
  const [first, last] = [new Backoff(() => 0), new Backoff(() => 1)];

  expect([first.nextMs(1_000), last.nextMs(1_000)]).toEqual([1_000, 1_250]);
  for (let failures = 0; failures < 8; failures++) [first, last].map((each) => each.nextMs());
  expect([first.nextMs(30_000), last.nextMs(30_000)]).toEqual([30_000, 45_000]);
});
