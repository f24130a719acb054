import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { sharedCheck } from './shared-check.ts';

const MAX_AGE_MS = 1_000;

test('a thousand concurrent calls share one check, and so do those soon after', async () => {
  const clock = new FakeClock();
  let runs = 0;
  const check = sharedCheck(() => Promise.resolve(void runs++), MAX_AGE_MS, clock);
  await Promise.all(Array.from({ length: 1_000 }, check));
  await clock.advance(MAX_AGE_MS - 1);
  await check();
  expect(runs).toBe(1);
  await clock.advance(1);
  await check();

  expect(runs).toBe(2);
});

test('a check that hangs is awaited by all, and not started again', async () => {
  const clock = new FakeClock();
  const held = Promise.withResolvers<void>();
  let runs = 0;
  const hold = () => {
    runs++;
    return held.promise;
  };
  const check = sharedCheck(hold, MAX_AGE_MS, clock);
  const all = Array.from({ length: 10 }, check);
  await clock.advance(60_000);
  all.push(check());
  held.resolve();
  await Promise.all(all);

  expect(runs).toBe(1);
});

test('a failure is returned to all until the next check', async () => {
  const clock = new FakeClock();
  let isAway = true;
  const check = sharedCheck(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()), MAX_AGE_MS, clock);
  await expect(check()).rejects.toThrow('away');
  isAway = false;
  await expect(check()).rejects.toThrow('away');
  await clock.advance(MAX_AGE_MS);

  await expect(check()).resolves.toBeUndefined();
});
