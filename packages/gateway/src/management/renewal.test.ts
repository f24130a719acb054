import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { expect, test } from 'vitest';
import { Renewal } from './renewal.ts';

const HOUR_MS = 3_600_000;

function begin(task: () => Promise<void>) {
  const clock = new FakeClock();
  return { clock, renewal: new Renewal(task, { clock, log: silentLogger }) };
}

test('runs the task every hour', async () => {
  let runs = 0;
  const { clock, renewal } = begin(async () => void runs++);
  await clock.advance(HOUR_MS - 1);
  expect(runs).toBe(0);
  await clock.advance(1);
  expect(runs).toBe(1);
  await clock.advance(2 * HOUR_MS);

  expect(runs).toBe(3);
  await renewal.stop();
});

test('runs the task on request, and once after a run for all requests made during it', async () => {
  const steps: PromiseWithResolvers<void>[] = [];
  const { clock, renewal } = begin(() => {
    const step = Promise.withResolvers<void>();
    steps.push(step);
    return step.promise;
  });
  renewal.now();
  renewal.now();
  renewal.now();
  await clock.advance(0);
  expect(steps).toHaveLength(1);
  steps[0]?.resolve();
  await clock.advance(0);
  expect(steps).toHaveLength(2);
  steps[1]?.resolve();
  await clock.advance(0);

  expect(steps).toHaveLength(2);
  await renewal.stop();
});

test('retries a failed run after half a minute', async () => {
  let runs = 0;
  const { clock, renewal } = begin(() => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve()));
  renewal.now();
  await clock.advance(29_999);
  expect(runs).toBe(1);
  await clock.advance(1);
  expect(runs).toBe(2);
  await clock.advance(HOUR_MS - 1);

  expect(runs).toBe(2);
  await renewal.stop();
});

test('waits for the current run when stopped, and starts no new run', async () => {
  const step = Promise.withResolvers<void>();
  let runs = 0;
  const { clock, renewal } = begin(() => {
    runs++;
    return step.promise;
  });
  renewal.now();
  let isStopped = false;
  const stopped = renewal.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(0);
  expect(isStopped).toBe(false);
  step.resolve();
  await stopped;
  renewal.now();
  await clock.advance(3 * HOUR_MS);

  expect([runs, clock.pendingTimers]).toEqual([1, 0]);
});
