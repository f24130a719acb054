import { expect, test } from 'vitest';
import { humanAge, humanDuration } from './human-duration.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The table of apimachinery's duration_test.go, and what lies between.
test.each([
  [-3, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [1, '1s'],
  [70, '70s'],
  [119, '119s'],
  [2 * MINUTE, '2m'],
  [190, '3m10s'],
  [10 * MINUTE + 59, '10m'],
  [2 * HOUR + 59 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [3 * HOUR + 5 * MINUTE, '3h5m'],
  [8 * HOUR + 50 * MINUTE, '8h'],
  [47 * HOUR + 59 * MINUTE, '47h'],
  [2 * DAY, '2d'],
  [2 * DAY + 3 * HOUR, '2d3h'],
  [8 * DAY + 3 * HOUR, '8d'],
  [729 * DAY, '729d'],
  [2 * 365 * DAY, '2y'],
  [2 * 365 * DAY + 5 * DAY, '2y5d'],
  [8 * 365 * DAY + 5 * DAY, '8y'],
])('%d seconds are %s', (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});

test('an age needs a time', () => {
  const nowMs = Date.UTC(2026, 0, 1, 0, 5);

  expect(humanAge('2026-01-01T00:00:00Z', nowMs)).toBe('5m');
  expect(humanAge(undefined, nowMs)).toBe('<unknown>');
});
