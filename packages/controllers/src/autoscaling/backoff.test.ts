import { formatTime } from '@fairway/base/clock';
import { describe, expect, it } from 'vitest';
import { nextBackoff } from './backoff.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number) => formatTime(NOW + minutes * 60_000);
const failure = { reason: 'QuotaExceeded' as const, message: 'no cores' };
const known = (failures: number, since: number, until: number) => ({
  ...failure,
  since: at(since),
  until: at(until),
  failures,
});

describe('the backoff of a pool', () => {
  it.each([
    {
      reason: 'five minutes first',
      backoff: undefined,
      attempt: { failure, hasSucceeded: false },
      next: known(1, 0, 5),
    },
    { reason: 'then ten', backoff: known(1, -6, -1), attempt: { failure, hasSucceeded: false }, next: known(2, 0, 10) },
    {
      reason: 'half an hour at most',
      backoff: known(7, -60, -30),
      attempt: { failure, hasSucceeded: false },
      next: known(8, 0, 30),
    },
    {
      reason: 'not longer for what fails while it lasts',
      backoff: known(1, -1, 4),
      attempt: { failure, hasSucceeded: false },
      next: known(1, -1, 4),
    },
    {
      reason: 'remembered after it',
      backoff: known(1, -10, -5),
      attempt: { failure: undefined, hasSucceeded: false },
      next: known(1, -10, -5),
    },
    {
      reason: 'forgotten when nodes came',
      backoff: known(1, -10, -5),
      attempt: { failure: undefined, hasSucceeded: true },
      next: undefined,
    },
    {
      reason: 'forgotten after three hours',
      backoff: known(3, -180, -160),
      attempt: { failure: undefined, hasSucceeded: false },
      next: undefined,
    },
  ])('$reason', ({ backoff, attempt, next }) => {
    expect(nextBackoff(backoff, attempt, NOW)).toEqual(next);
  });
});
