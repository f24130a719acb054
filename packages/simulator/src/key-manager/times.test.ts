import { describe, expect, it } from 'vitest';
import { dateFilter, parseIsoTime } from './times.ts';

it.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02T03:04:05.678+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T030405-0130', '2026-01-02T04:34:05.000Z'],
  ['2026-01-02T03:04:05+02', '2026-01-02T01:04:05.000Z'],
])('parses %s as %s', (text, time) => {
  expect(new Date(parseIsoTime(text) ?? 0).toISOString()).toBe(time);
});

it.each(['', 'x', '2026', '2026-13-01', '2026-01-02T25:00:00'])('rejects the time %o', (text) => {
  expect(parseIsoTime(text)).toBeUndefined();
});

describe('a time filter', () => {
  const noon = Date.parse('2026-01-01T12:00:00.500Z');

  it.each([
    ['2026-01-01T12:00:00', true],
    ['2026-01-01', false],
    ['gt:2026-01-01', true],
    ['gt:2026-01-01T12:00:00', false],
    ['gte:2026-01-01T12:00:00,lt:2026-01-02', true],
    ['lt:2026-01-01T12:00:00', false],
    ['lte:2026-01-01T12:00:00', true],
  ])('matches %s: %s', (text, expected) => {
    expect(dateFilter(text)?.(noon)).toBe(expected);
  });

  it.each(['gt:x', 'gt:2026-01-01,gte:2026-01-01', 'lt:2026-01-01,lt:2026-01-02', '2026-01-01,gte:2026-01-01'])(
    'rejects %s',
    (text) => {
      expect(dateFilter(text)).toBeUndefined();
    },
  );
});
