import { describe, expect, test } from 'vitest';
import { parseCron } from './cron-schedule.ts';

function timesOf(text: string, timeZone: string, from: string, count: number): string[] {
  const schedule = parseCron(text, timeZone);
  const times: string[] = [];
  let afterMs: number | undefined = Date.parse(from);
  while (times.length < count) {
    afterMs = schedule.next(afterMs);
    if (afterMs === undefined) break;
    times.push(new Date(afterMs).toISOString().slice(0, 16));
  }
  return times;
}

describe('a schedule', () => {
  test.each([
    {
      reason: 'an ordinary week',
      text: '0 20 * * 1-5',
      from: '2026-11-20T00:00Z',
      times: ['2026-11-20T19:00', '2026-11-23T19:00'],
    },
    {
      reason: 'days by name',
      text: '0 20 * * mon,fri',
      from: '2026-11-20T20:00Z',
      times: ['2026-11-23T19:00', '2026-11-27T19:00'],
    },
    { reason: 'a macro', text: '@daily', from: '2026-11-20T00:00Z', times: ['2026-11-20T23:00', '2026-11-21T23:00'] },
    {
      reason: 'clocks go from 2:00 to 3:00: what was due at 2:30 is due when they go on',
      text: '30 2 * * *',
      from: '2026-03-28T12:00Z',
      times: ['2026-03-29T01:00', '2026-03-30T00:30'],
    },
    {
      reason: 'clocks go from 3:00 back to 2:00: what is due at 2:30 is due once, the first time',
      text: '30 2 * * *',
      from: '2026-10-24T12:00Z',
      times: ['2026-10-25T00:30', '2026-10-26T01:30'],
    },
    {
      reason: 'every hour is due in both',
      text: '0 * * * *',
      from: '2026-10-24T23:30Z',
      times: ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    },
    {
      reason: 'a day that is not every year',
      text: '0 0 29 2 *',
      from: '2026-11-20T00:00Z',
      times: ['2028-02-28T23:00'],
    },
    { reason: 'a day that never is', text: '0 0 30 2 *', from: '2026-11-20T00:00Z', times: [] },
  ])('$text in Berlin: $reason', ({ text, from, times }) => {
    expect(timesOf(text, 'Europe/Berlin', from, times.length || 1)).toEqual(times);
  });

  test.each([
    { reason: 'it counts at its own time', text: '0 20 * * 1-5', now: '2026-11-23T19:00Z', last: '2026-11-23T19:00' },
    { reason: 'the day before', text: '0 20 * * 1-5', now: '2026-11-23T18:59Z', last: '2026-11-20T19:00' },
    { reason: 'in the hour that clocks skip', text: '30 2 * * *', now: '2026-03-29T12:00Z', last: '2026-03-29T01:00' },
    { reason: 'in the hour that they repeat', text: '30 2 * * *', now: '2026-10-25T12:00Z', last: '2026-10-25T00:30' },
    { reason: 'within that hour', text: '30 2 * * *', now: '2026-10-25T01:10Z', last: '2026-10-25T00:30' },
    { reason: 'never', text: '0 0 30 2 *', now: '2026-10-25T01:10Z', last: undefined },
  ])('$text in Berlin was due last at $last: $reason', ({ text, now, last }) => {
    const lastMs = parseCron(text, 'Europe/Berlin').last(Date.parse(now));

    expect(lastMs && new Date(lastMs).toISOString().slice(0, 16)).toBe(last);
  });

  test.each([
    { text: '0 20 * *', says: 'invalid configuration format' },
    { text: '0 20 * * 1-5 2027', says: 'requires exactly 5 parts' },
    { text: '61 * * * *', says: 'Invalid value for minute: 61' },
    { text: 'tomorrow', says: 'invalid configuration format' },
  ])('$text is none: $says', ({ text, says }) => {
    expect(() => parseCron(text, 'Etc/UTC')).toThrow(says);
  });
});
