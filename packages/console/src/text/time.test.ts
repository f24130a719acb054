import { expect, it } from 'vitest';
import { languageOf } from './language.ts';
import { clockSecond, day, fullTime, relativeTime, shortTime } from './time.ts';

const AT = '2026-11-26T23:30:05Z';
const AT_MS = Date.parse(AT);

it.each([
  { language: 'en-GB', zone: 'Europe/Berlin', text: '27 Nov 2026, 00:30:05 CET' },
  { language: 'de', zone: 'Europe/Berlin', text: '27. Nov. 2026, 00:30:05 MEZ' },
  { language: 'en-US', zone: 'America/New_York', text: 'Nov 26, 2026, 06:30:05 PM EST' },
])('in $zone it is $text', ({ language, zone, text }) => {
  expect(fullTime(AT, language, zone).replaceAll(/\s/g, ' ')).toBe(text);
});

it('the day is the reader’s own', () => {
  expect(day(AT, 'en-GB', 'Europe/Berlin')).toBe('27 Nov 2026');
  expect(day(AT, 'en-GB', 'UTC')).toBe('26 Nov 2026');
});

it('of not long ago it is shorter', () => {
  expect(shortTime(AT, 'en-GB', 'Europe/Berlin')).toBe('27 Nov, 00:30:05');
  expect(clockSecond(AT_MS, 'en-GB', 'Europe/Berlin')).toBe('00:30:05');
});

it.each([
  { laterMs: 0, text: 'now' },
  { laterMs: 59_000, text: '59 sec ago' },
  { laterMs: 60_000, text: '1 min ago' },
  { laterMs: 3_599_000, text: '59 min ago' },
  { laterMs: 7_200_000, text: '2 hr ago' },
  { laterMs: 86_400_000, text: 'yesterday' },
  { laterMs: 10 * 86_400_000, text: '10 days ago' },
  { laterMs: -90_000, text: 'in 1 min' },
])('$laterMs ms later it was $text', ({ laterMs, text }) => {
  expect(relativeTime(AT, AT_MS + laterMs, 'en-GB').replaceAll('.', '')).toBe(text);
});

it.each([
  { preferred: ['de-AT', 'en'], language: 'de' },
  { preferred: ['fr', 'de'], language: 'de' },
  { preferred: ['en-GB', 'de'], language: 'en' },
  { preferred: ['fr'], language: 'en' },
  { preferred: [], language: 'en' },
])('a reader of $preferred reads $language', ({ preferred, language }) => {
  expect(languageOf(preferred)).toBe(language);
});
