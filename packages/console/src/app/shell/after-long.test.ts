import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { afterLong } from './after-long.ts';

const DAY_MS = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([-1, 0, 5, DAY_MS, 30 * DAY_MS, 365 * DAY_MS])('calls back once after %d ms, and not before', (ms) => {
  let calls = 0;
  afterLong(ms, () => void calls++);
  vi.advanceTimersByTime(Math.max(0, ms - 1));

  expect(calls).toBe(ms > 0 ? 0 : 1);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
  vi.advanceTimersByTime(400 * DAY_MS);
  expect(calls).toBe(1);
});

it('does not call back once it has been ended', () => {
  let calls = 0;
  const end = afterLong(60 * DAY_MS, () => void calls++);
  vi.advanceTimersByTime(40 * DAY_MS);
  end();
  vi.advanceTimersByTime(60 * DAY_MS);

  expect(calls).toBe(0);
});
