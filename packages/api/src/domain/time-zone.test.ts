import { expect, test } from 'vitest';
import { timeZoneProblem } from './time-zone.ts';

test.each(['UTC', 'Etc/UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
  'accepts the time zone %s',
  (name) => {
    expect(timeZoneProblem(name)).toBeUndefined();
  },
);

test.each([
  { name: 'Europe/Berln', says: 'did you mean "Europe/Berlin"' },
  { name: 'Mars/Olympus_Mons_North', says: 'use one such as Europe/Berlin or UTC' },
  { name: 'GMT+2', says: 'is not a time zone' },
  { name: '', says: 'is not a time zone' },
  { name: '+01:00', says: 'is a UTC offset' },
  { name: 'Local', says: 'is not a time zone' },
])('refuses the time zone $name: $says', ({ name, says }) => {
  expect(timeZoneProblem(name)).toContain(says);
});
