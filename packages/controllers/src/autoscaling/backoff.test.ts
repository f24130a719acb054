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

describe('nextBackoff', () => {
  it.each([
    {
      reason: 'starts with five minutes',
      backoff: undefined,
      attempt: { failure, hasSucceeded: false },
      next: known(1, 0, 5),
    },
    {
      reason: 'continues with ten minutes',
      backoff: known(1, -6, -1),
      attempt: { failure, hasSucceeded: false },
      next: known(2, 0, 10),
    },
    {
      reason: 'is limited to half an hour',
      backoff: known(7, -60, -30),
      attempt: { failure, hasSucceeded: false },
      next: known(8, 0, 30),
    },
    {
      reason: 'does not grow for failures during the backoff',
      backoff: known(1, -1, 4),
      attempt: { failure, hasSucceeded: false },
      next: known(1, -1, 4),
    },
    {
      reason: 'remembers the last backoff after it has ended',
      backoff: known(1, -10, -5),
      attempt: { failure: undefined, hasSucceeded: false },
      next: known(1, -10, -5),
    },
    {
      reason: 'is reset when new nodes became ready',
      backoff: known(1, -10, -5),
      attempt: { failure: undefined, hasSucceeded: true },
      next: undefined,
    },
    {
      reason: 'is reset after three hours',
      backoff: known(3, -180, -160),
      attempt: { failure: undefined, hasSucceeded: false },
      next: undefined,
    },
  ])('$reason', ({ backoff, attempt, next }) => {
    expect(nextBackoff(backoff, attempt, NOW)).toEqual(next);
  });
});
