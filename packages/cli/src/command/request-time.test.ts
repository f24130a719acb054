import { expect, test } from 'vitest';
import { requestTimeAfter } from './request-time.ts';

const NOW = '2026-06-01T12:00:00.000Z';

test.each([
  { last: undefined, gets: NOW, reason: 'no earlier request' },
  { last: 'monday', gets: NOW, reason: 'the last value is not a time' },
  { last: '2026-06-01T11:00:00Z', gets: NOW, reason: 'the last request is earlier' },
  { last: '2026-06-01T12:30:00Z', gets: '2026-06-01T12:30:00.001Z', reason: 'the clock of the last request was ahead' },
  { last: '9999-12-31T23:59:59.999Z', gets: '9999-12-31T23:59:59.999Z', reason: 'the last possible time' },
  { last: '+275760-09-13T00:00:00.000Z', gets: NOW, reason: 'an extended year is not a valid time' },
  { last: '9999', gets: NOW, reason: 'a number is not a time' },
])('a request time after $last is $gets: $reason', ({ last, gets }) => {
  expect(requestTimeAfter([last], Date.parse(NOW))).toBe(gets);
});

test('a request time is also later than a pending request', () => {
  const before = ['2026-06-01T11:00:00Z', '2026-06-01T12:30:00Z', undefined];

  expect(requestTimeAfter(before, Date.parse(NOW))).toBe('2026-06-01T12:30:00.001Z');
});
