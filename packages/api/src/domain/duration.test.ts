import { describe, expect, it } from 'vitest';
import { durationMs } from './duration.ts';

describe('durationMs', () => {
  it.each([
    ['0s', 0],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
  ])('parses %s as %i', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });

  it.each(['', '10', '10m1h', '1.5h', '-1s', 'PT60S'])('refuses %j', (text) => {
    expect(() => durationMs(text)).toThrow('is not a duration');
  });
});
