import { expect, test } from 'vitest';
import { FakeClock } from './clock-fake.ts';
import { waitAtMost } from './wait-at-most.ts';

test.each([
  { what: 'work that ends', work: Promise.resolve() },
  { what: 'no work', work: undefined },
])('does not wait for the limit with $what', async ({ work }) => {
  const clock = new FakeClock();

  await waitAtMost(1_000, clock, work);

  expect(clock.nextDueMs).toBeUndefined();
});

test('stops waiting for hanging work after the limit', async () => {
  const clock = new FakeClock();
  let isOver = false;
  const waiting = waitAtMost(1_000, clock, new Promise(() => {})).then(() => {
    isOver = true;
  });

  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await waiting;
});

test('fails if the work fails', async () => {
  const clock = new FakeClock();

  await expect(waitAtMost(1_000, clock, Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(clock.nextDueMs).toBeUndefined();
});
