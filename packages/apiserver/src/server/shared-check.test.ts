import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { sharedCheck } from './shared-check.ts';

const MAX_AGE_MS = 1_000;

test('shares one check among a thousand concurrent calls and calls shortly afterwards', async () => {
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

test('lets all calls wait for a hanging check, and does not start another', async () => {
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

test('returns a failure to all callers until the next check', async () => {
  const clock = new FakeClock();
  let isUnavailable = true;
  const check = sharedCheck(
    () => (isUnavailable ? Promise.reject(new Error('away')) : Promise.resolve()),
    MAX_AGE_MS,
    clock,
  );
  await expect(check()).rejects.toThrow('away');
  isUnavailable = false;
  await expect(check()).rejects.toThrow('away');
  await clock.advance(MAX_AGE_MS);

  await expect(check()).resolves.toBeUndefined();
});
