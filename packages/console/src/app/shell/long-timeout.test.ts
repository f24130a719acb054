import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setLongTimeout } from './long-timeout.ts';

const DAY_MS = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([-1, 0, 5, DAY_MS, 30 * DAY_MS, 365 * DAY_MS])('calls back once after %d ms, and not before', (ms) => {
  let calls = 0;
  setLongTimeout(ms, () => void calls++);
  vi.advanceTimersByTime(Math.max(0, ms - 1));

  expect(calls).toBe(ms > 0 ? 0 : 1);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
  vi.advanceTimersByTime(400 * DAY_MS);
  expect(calls).toBe(1);
});

it('does not call back after it is cancelled', () => {
  let calls = 0;
  const end = setLongTimeout(60 * DAY_MS, () => void calls++);
  vi.advanceTimersByTime(40 * DAY_MS);
  end();
  vi.advanceTimersByTime(60 * DAY_MS);

  expect(calls).toBe(0);
});
