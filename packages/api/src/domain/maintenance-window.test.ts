import { describe, expect, test } from 'vitest';
import type { MaintenanceWindow } from '../kinds/cluster-maintenance.ts';
import { isInWindow, nextWindow } from './maintenance-window.ts';

const WEEKLY = { days: ['Wednesday'], start: '02:30', duration: '1h', timeZone: 'Europe/Berlin' } as const;

function window(more: Partial<MaintenanceWindow> = {}): MaintenanceWindow {
  return { ...WEEKLY, days: ['Wednesday'], ...more };
}

const short = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 16);

describe('the next window', () => {
  test.each<{ reason: string; of?: Partial<MaintenanceWindow>; now: string; is: [string, string] }>([
    { reason: 'later in the week', now: '2026-11-22T00:00Z', is: ['2026-11-25T01:30', '2026-11-25T02:30'] },
    { reason: 'it begins now', now: '2026-11-25T01:30Z', is: ['2026-11-25T01:30', '2026-11-25T02:30'] },
    { reason: 'it is open', now: '2026-11-25T02:29:59Z', is: ['2026-11-25T01:30', '2026-11-25T02:30'] },
    { reason: 'it is over', now: '2026-11-25T02:30Z', is: ['2026-12-02T01:30', '2026-12-02T02:30'] },
    { reason: 'every day', of: { days: [] }, now: '2026-11-22T02:30Z', is: ['2026-11-23T01:30', '2026-11-23T02:30'] },
    {
      reason: 'over midnight, by the day on which it begins',
      of: { days: ['Saturday'], start: '23:00', duration: '4h', timeZone: 'UTC' },
      now: '2026-11-22T02:59Z',
      is: ['2026-11-21T23:00', '2026-11-22T03:00'],
    },
    {
      reason: 'the day is that of its time zone',
      of: { days: ['Monday'], start: '00:30', timeZone: 'Pacific/Auckland' },
      now: '2026-11-22T00:00Z',
      is: ['2026-11-22T11:30', '2026-11-22T12:30'],
    },
    {
      reason: 'clocks skip 2:30: it begins when they go on, and is as long as ever',
      of: { days: ['Sunday'] },
      now: '2026-03-28T12:00Z',
      is: ['2026-03-29T01:00', '2026-03-29T02:00'],
    },
    {
      reason: 'clocks skip an hour within it',
      of: { days: ['Sunday'], start: '01:30', duration: '2h' },
      now: '2026-03-28T12:00Z',
      is: ['2026-03-29T00:30', '2026-03-29T02:30'],
    },
    {
      reason: 'clocks repeat 2:30: it begins the first time',
      of: { days: ['Sunday'] },
      now: '2026-10-24T12:00Z',
      is: ['2026-10-25T00:30', '2026-10-25T01:30'],
    },
    {
      reason: 'the second 2:30 is none',
      of: { days: ['Sunday'] },
      now: '2026-10-25T01:30Z',
      is: ['2026-11-01T01:30', '2026-11-01T02:30'],
    },
    {
      reason: 'clocks skip midnight itself',
      of: { days: ['Friday'], start: '00:00', timeZone: 'Africa/Cairo' },
      now: '2026-04-23T12:00Z',
      is: ['2026-04-23T22:00', '2026-04-23T23:00'],
    },
    {
      reason: 'clocks go on by half an hour',
      of: { days: ['Sunday'], start: '02:00', timeZone: 'Australia/Lord_Howe' },
      now: '2026-10-03T00:00Z',
      is: ['2026-10-03T15:30', '2026-10-03T16:30'],
    },
    {
      reason: 'the longest, on the shortest day',
      of: { days: [], start: '02:30', duration: '23h' },
      now: '2026-03-29T23:59Z',
      is: ['2026-03-29T01:00', '2026-03-30T00:00'],
    },
  ])('at $now: $reason', ({ of, now, is }) => {
    const { startMs, endMs } = nextWindow(window(of), Date.parse(now));

    expect([short(startMs), short(endMs)]).toEqual(is);
  });

  test.each([
    { now: '2026-11-25T01:29:59Z', open: false },
    { now: '2026-11-25T01:30Z', open: true },
    { now: '2026-11-25T02:29:59Z', open: true },
    { now: '2026-11-25T02:30Z', open: false },
  ])('at $now a window is open: $open', ({ now, open }) => {
    expect(isInWindow(window(), Date.parse(now))).toBe(open);
  });

  test('is worked out once for as long as it holds: rollouts ask for those of all clusters at each step', () => {
    const one = window();
    const [, second, third] = ['2026-11-22T00:00Z', '2026-11-22T00:01Z', '2026-11-25T02:29Z'].map((time) =>
      nextWindow(one, Date.parse(time)),
    );
    const afterwards = nextWindow(one, Date.parse('2026-11-25T02:30Z'));

    expect(third).toBe(second);
    expect(short(afterwards.startMs)).toBe('2026-12-02T01:30');
  });

  test('is told again as it was, whichever way the clock goes', () => {
    const one = window({ days: [] });
    const times = ['2026-11-25T01:00Z', '2026-11-28T12:00Z', '2026-11-25T02:00Z', '2026-11-25T02:00Z'];

    const told = times.map((time) => nextWindow(one, Date.parse(time)));
    const retried = times.map((time) => nextWindow(window({ days: [] }), Date.parse(time)));

    expect(told.map(({ startMs }) => short(startMs))).toEqual(retried.map(({ startMs }) => short(startMs)));
  });
});
