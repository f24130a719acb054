import { expect, test } from 'vitest';
import { startOfMonth, usageTimeMs } from './time-option.ts';

test.each([
  ['2026-11', '2026-11-01T00:00:00.000Z'],
  ['2026-11-26', '2026-11-26T00:00:00.000Z'],
  ['2026-11-26T12:00Z', '2026-11-26T12:00:00.000Z'],
  ['2026-11-26T00:30:00+01:00', '2026-11-25T23:30:00.000Z'],
])('parses %s as %s', (text, time) => {
  expect(new Date(usageTimeMs('--from', text)).toISOString()).toBe(time);
});

test.each(['yesterday', '2026-13', '26.11.2026', '2026-11-26T12:00:00', '2026', ''])('refuses %j', (text) => {
  expect(() => usageTimeMs('--from', text)).toThrow(`--from: "${text}" is not a time`);
});

test('starts months in UTC', () => {
  expect(startOfMonth(Date.parse('2026-11-01T00:30:00+01:00'))).toBe(Date.parse('2026-10-01T00:00:00Z'));
});
