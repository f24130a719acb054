import { expect, it } from 'vitest';
import { humanDuration } from './human-duration.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

it.each([
  [0, '0s'],
  [-2 * second, '<invalid>'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5 * second, '2m5s'],
  [179 * minute, '179m'],
  [3 * hour + 10 * minute, '3h10m'],
  [47 * hour, '47h'],
  [2 * day + hour, '2d1h'],
  [8 * day + hour, '8d'],
  [2 * 365 * day + 3 * day, '2y3d'],
  [9 * 365 * day, '9y'],
])('formats %d ms as %s', (spanMs, text) => {
  expect(humanDuration(spanMs)).toBe(text);
});
