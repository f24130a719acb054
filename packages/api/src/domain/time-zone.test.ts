import { expect, test } from 'vitest';
import { timeZoneProblem } from './time-zone.ts';

test.each(['UTC', 'Etc/UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
  'accepts the time zone %s',
  (name) => {
    expect(timeZoneProblem(name)).toBeUndefined();
  },
);

test.each([
  { name: 'Europe/Berln', expectedMessage: 'did you mean "Europe/Berlin"' },
  { name: 'Mars/Olympus_Mons_North', expectedMessage: 'use one such as Europe/Berlin or UTC' },
  { name: 'GMT+2', expectedMessage: 'is not a time zone' },
  { name: '', expectedMessage: 'is not a time zone' },
  { name: '+01:00', expectedMessage: 'is a UTC offset' },
  { name: 'Local', expectedMessage: 'is not a time zone' },
])('refuses the time zone $name: $expectedMessage', ({ name, expectedMessage }) => {
  expect(timeZoneProblem(name)).toContain(expectedMessage);
});
