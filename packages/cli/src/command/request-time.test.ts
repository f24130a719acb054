import { expect, test } from 'vitest';
import { requestTimeAfter } from './request-time.ts';

const NOW = '2026-06-01T12:00:00.000Z';

test.each([
  { last: undefined, gets: NOW, reason: 'nothing was asked for' },
  { last: 'monday', gets: NOW, reason: 'the last was no time' },
  { last: '2026-06-01T11:00:00Z', gets: NOW, reason: 'the last was earlier' },
  { last: '2026-06-01T12:30:00Z', gets: '2026-06-01T12:30:00.001Z', reason: 'its clock was ahead' },
  { last: '9999-12-31T23:59:59.999Z', gets: '9999-12-31T23:59:59.999Z', reason: 'there is no time after it' },
  { last: '+275760-09-13T00:00:00.000Z', gets: NOW, reason: 'nobody reads that as a time' },
  { last: '9999', gets: NOW, reason: 'a number is no year' },
])('after $last it is $gets: $reason', ({ last, gets }) => {
  expect(requestTimeAfter([last], Date.parse(NOW))).toBe(gets);
});

test('it is after one that is still to be done, too', () => {
  const before = ['2026-06-01T11:00:00Z', '2026-06-01T12:30:00Z', undefined];

  expect(requestTimeAfter(before, Date.parse(NOW))).toBe('2026-06-01T12:30:00.001Z');
});
