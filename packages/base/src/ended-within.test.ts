import { expect, test } from 'vitest';
import { FakeClock } from './clock-fake.ts';
import { endedWithin } from './ended-within.ts';

test.each([
  { what: 'work that ends', work: Promise.resolve() },
  { what: 'no work', work: undefined },
])('does not wait longer than for $what', async ({ work }) => {
  const clock = new FakeClock();

  await endedWithin(1_000, clock, work);

  expect(clock.nextDueMs).toBeUndefined();
});

test('waits for work that does not end no longer than its limit', async () => {
  const clock = new FakeClock();
  let isOver = false;
  const waiting = endedWithin(1_000, clock, new Promise(() => {})).then(() => {
    isOver = true;
  });

  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await waiting;
});

test('fails as the work does', async () => {
  const clock = new FakeClock();

  await expect(endedWithin(1_000, clock, Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(clock.nextDueMs).toBeUndefined();
});
