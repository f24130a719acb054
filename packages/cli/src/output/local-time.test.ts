import { expect, test } from 'vitest';
import { localTime } from './local-time.ts';

test.each([
  { time: '2026-11-28T22:54:31Z', zone: 'UTC', shown: '2026-11-28 22:54 UTC' },
  { time: '2026-11-28T22:54:31.123Z', zone: 'Europe/Berlin', shown: '2026-11-28 23:54 CET' },
  { time: Date.UTC(2026, 6, 1, 3), zone: 'America/New_York', shown: '2026-06-30 23:00 GMT−4' },
  { time: 'soon', zone: 'UTC', shown: 'soon' },
])('shows $time as $shown in $zone', ({ time, zone, shown }) => {
  expect(localTime(time, zone)).toBe(shown);
});
