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

describe('parseCron', () => {
  test.each([
    {
      reason: 'an ordinary week',
      text: '0 20 * * 1-5',
      from: '2026-11-20T00:00Z',
      times: ['2026-11-20T19:00', '2026-11-23T19:00'],
    },
    {
      reason: 'names of days',
      text: '0 20 * * mon,fri',
      from: '2026-11-20T20:00Z',
      times: ['2026-11-23T19:00', '2026-11-27T19:00'],
    },
    { reason: 'a macro', text: '@daily', from: '2026-11-20T00:00Z', times: ['2026-11-20T23:00', '2026-11-21T23:00'] },
    {
      reason: 'a time in a skipped hour is due when clocks go forward',
      text: '30 2 * * *',
      from: '2026-03-28T12:00Z',
      times: ['2026-03-29T01:00', '2026-03-30T00:30'],
    },
    {
      reason: 'a time in a repeated hour is due once, the first time',
      text: '30 2 * * *',
      from: '2026-10-24T12:00Z',
      times: ['2026-10-25T00:30', '2026-10-26T01:30'],
    },
    {
      reason: 'an hourly schedule is due in both repeated hours',
      text: '0 * * * *',
      from: '2026-10-24T23:30Z',
      times: ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    },
    {
      reason: 'a day that does not exist every year',
      text: '0 0 29 2 *',
      from: '2026-11-20T00:00Z',
      times: ['2028-02-28T23:00'],
    },
    { reason: 'a day that never exists', text: '0 0 30 2 *', from: '2026-11-20T00:00Z', times: [] },
  ])('returns the times of $text in Berlin: $reason', ({ text, from, times }) => {
    expect(timesOf(text, 'Europe/Berlin', from, times.length || 1)).toEqual(times);
  });

  test.each([
    {
      reason: 'at the scheduled time itself',
      text: '0 20 * * 1-5',
      now: '2026-11-23T19:00Z',
      last: '2026-11-23T19:00',
    },
    { reason: 'on the day before', text: '0 20 * * 1-5', now: '2026-11-23T18:59Z', last: '2026-11-20T19:00' },
    { reason: 'in an hour that clocks skip', text: '30 2 * * *', now: '2026-03-29T12:00Z', last: '2026-03-29T01:00' },
    { reason: 'in an hour that clocks repeat', text: '30 2 * * *', now: '2026-10-25T12:00Z', last: '2026-10-25T00:30' },
    { reason: 'within a repeated hour', text: '30 2 * * *', now: '2026-10-25T01:10Z', last: '2026-10-25T00:30' },
    { reason: 'never', text: '0 0 30 2 *', now: '2026-10-25T01:10Z', last: undefined },
  ])('finds that $text in Berlin was last due at $last: $reason', ({ text, now, last }) => {
    const lastMs = parseCron(text, 'Europe/Berlin').last(Date.parse(now));

    expect(lastMs && new Date(lastMs).toISOString().slice(0, 16)).toBe(last);
  });

  test.each([
    { text: '0 20 * *', expectedMessage: 'invalid configuration format' },
    { text: '0 20 * * 1-5 2027', expectedMessage: 'requires exactly 5 parts' },
    { text: '61 * * * *', expectedMessage: 'Invalid value for minute: 61' },
    { text: 'tomorrow', expectedMessage: 'invalid configuration format' },
  ])('rejects $text: $expectedMessage', ({ text, expectedMessage }) => {
    expect(() => parseCron(text, 'Etc/UTC')).toThrow(expectedMessage);
  });
});
