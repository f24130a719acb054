import { expect, test } from 'vitest';
import { FakeClock } from './clock-fake.ts';
import { every } from './every.ts';

const PERIOD_MS = 1_000;

test('pauses before each run, even after a failed run, and reports the failure', async () => {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  let runs = 0;
  const stop = every(
    PERIOD_MS,
    clock,
    () => (++runs === 1 ? Promise.reject(new Error('not now')) : Promise.resolve()),
    (error) => failures.push(error),
  );

  await clock.advance(PERIOD_MS - 1);
  expect(runs).toBe(0);
  await clock.advance(1);
  expect(runs).toBe(1);
  await clock.advance(PERIOD_MS);

  expect(runs).toBe(2);
  expect(failures).toEqual([new Error('not now')]);
  await stop();
});

test('stops after the current run has ended, and does not run again', async () => {
  const clock = new FakeClock();
  const run = Promise.withResolvers<void>();
  let runs = 0;
  const stop = every(PERIOD_MS, clock, () => {
    runs++;
    return run.promise;
  });
  await clock.advance(PERIOD_MS);
  let isStopped = false;

  const stopped = stop().then(() => {
    isStopped = true;
  });
  await clock.advance(PERIOD_MS);
  expect(isStopped).toBe(false);
  run.resolve();
  await stopped;
  await clock.advance(2 * PERIOD_MS);

  expect(runs).toBe(1);
});
