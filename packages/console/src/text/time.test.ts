import { expect, it } from 'vitest';
import { languageOf, localeOf } from './language.ts';
import { clockSecond, day, duration, fullTime, relativeTime, shortTime, withLocalTimes } from './time.ts';

const AT = '2026-11-26T23:30:05Z';
const AT_MS = Date.parse(AT);

it.each([
  { language: 'en-GB', zone: 'Europe/Berlin', text: '27 Nov 2026, 00:30:05 CET' },
  { language: 'de', zone: 'Europe/Berlin', text: '27. Nov. 2026, 00:30:05 MEZ' },
  { language: 'en-US', zone: 'America/New_York', text: 'Nov 26, 2026, 06:30:05 PM EST' },
])('in $zone is $text', ({ language, zone, text }) => {
  expect(fullTime(AT, language, zone).replaceAll(/\s/g, ' ')).toBe(text);
});

it('uses the user’s own date', () => {
  expect(day(AT, 'en-GB', 'Europe/Berlin')).toBe('27 Nov 2026');
  expect(day(AT, 'en-GB', 'UTC')).toBe('26 Nov 2026');
});

it('formats recent times in a shorter form', () => {
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
])('was $text $laterMs ms later', ({ laterMs, text }) => {
  expect(relativeTime(AT, AT_MS + laterMs, 'en-GB', 'either').replaceAll('.', '')).toBe(text);
});

it.each([
  { tense: 'past', laterMs: -3_000, text: 'now', reason: 'a past event is never in the future' },
  { tense: 'past', laterMs: 3_000, text: '3 sec ago', reason: '' },
  { tense: 'future', laterMs: 3_000, text: 'now', reason: 'a passed estimate is due now' },
  { tense: 'future', laterMs: -3_000, text: 'in 3 sec', reason: '' },
] as const)('$tense, $laterMs ms later: $text. $reason', ({ tense, laterMs, text }) => {
  expect(relativeTime(AT, AT_MS + laterMs, 'en-GB', tense).replaceAll('.', '')).toBe(text);
});

it.each([
  { laterMs: -3_000, locale: 'en-GB', text: '0 secs' },
  { laterMs: 21_000, locale: 'en-GB', text: '21 secs' },
  { laterMs: 3_600_000, locale: 'de-DE', text: '1 Std' },
  { laterMs: 3 * 86_400_000, locale: 'de-DE', text: '3 Tg' },
])('lasted $text after $laterMs ms', ({ laterMs, locale, text }) => {
  expect(duration(AT, AT_MS + laterMs, locale).replaceAll('.', '')).toBe(text);
});

it.each([
  { preferred: ['de-AT', 'en'], language: 'de' },
  { preferred: ['fr', 'de'], language: 'de' },
  { preferred: ['en-GB', 'de'], language: 'en' },
  { preferred: ['fr'], language: 'en' },
  { preferred: [], language: 'en' },
])('chooses $language for $preferred', ({ preferred, language }) => {
  expect(languageOf(preferred)).toBe(language);
});

it.each([
  { language: 'en', preferred: ['en-GB', 'de'], locale: 'en-GB' },
  { language: 'de', preferred: ['en-GB', 'de-AT'], locale: 'de-AT' },
  { language: 'en', preferred: ['fr-FR'], locale: 'en-FR' },
  { language: 'de', preferred: ['en-US'], locale: 'de-US' },
  { language: 'en', preferred: ['sr-Latn-RS'], locale: 'en-RS' },
  { language: 'en', preferred: ['not a tag', 'fr'], locale: 'en' },
] as const)('formats dates as in $locale for $language and $preferred', ({ language, preferred, locale }) => {
  expect(localeOf(language, preferred)).toBe(locale);
});

it.each([
  {
    text: `valid until ${AT}, not ${AT}`,
    local: 'valid until 27 Nov 2026, 00:30:05 CET, not 27 Nov 2026, 00:30:05 CET',
  },
  { text: 'since 2026-11-26T23:30:05.123456Z', local: 'since 27 Nov 2026, 00:30:05 CET' },
  { text: 'the stamp 2026-99-99T99:99:99Z is none', local: 'the stamp 2026-99-99T99:99:99Z is none' },
  { text: 'nothing', local: 'nothing' },
])('$text', ({ text, local }) => {
  expect(withLocalTimes(text, 'en-GB', 'Europe/Berlin').replaceAll(/\s/g, ' ')).toBe(local);
});
