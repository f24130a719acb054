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
    {
      reason: 'the window is later in the week',
      now: '2026-11-22T00:00Z',
      is: ['2026-11-25T01:30', '2026-11-25T02:30'],
    },
    { reason: 'the window opens now', now: '2026-11-25T01:30Z', is: ['2026-11-25T01:30', '2026-11-25T02:30'] },
    { reason: 'the window is open', now: '2026-11-25T02:29:59Z', is: ['2026-11-25T01:30', '2026-11-25T02:30'] },
    { reason: 'the window has closed', now: '2026-11-25T02:30Z', is: ['2026-12-02T01:30', '2026-12-02T02:30'] },
    {
      reason: 'the window opens every day',
      of: { days: [] },
      now: '2026-11-22T02:30Z',
      is: ['2026-11-23T01:30', '2026-11-23T02:30'],
    },
    {
      reason: 'the window spans midnight and belongs to the day on which it starts',
      of: { days: ['Saturday'], start: '23:00', duration: '4h', timeZone: 'UTC' },
      now: '2026-11-22T02:59Z',
      is: ['2026-11-21T23:00', '2026-11-22T03:00'],
    },
    {
      reason: 'the day of the week follows the time zone',
      of: { days: ['Monday'], start: '00:30', timeZone: 'Pacific/Auckland' },
      now: '2026-11-22T00:00Z',
      is: ['2026-11-22T11:30', '2026-11-22T12:30'],
    },
    {
      reason: 'clocks skip 2:30: the window starts after the gap and keeps its length',
      of: { days: ['Sunday'] },
      now: '2026-03-28T12:00Z',
      is: ['2026-03-29T01:00', '2026-03-29T02:00'],
    },
    {
      reason: 'clocks skip an hour within the window',
      of: { days: ['Sunday'], start: '01:30', duration: '2h' },
      now: '2026-03-28T12:00Z',
      is: ['2026-03-29T00:30', '2026-03-29T02:30'],
    },
    {
      reason: 'clocks repeat 2:30: the window starts the first time',
      of: { days: ['Sunday'] },
      now: '2026-10-24T12:00Z',
      is: ['2026-10-25T00:30', '2026-10-25T01:30'],
    },
    {
      reason: 'the second 2:30 does not start a window',
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
      reason: 'clocks go forward by half an hour',
      of: { days: ['Sunday'], start: '02:00', timeZone: 'Australia/Lord_Howe' },
      now: '2026-10-03T00:00Z',
      is: ['2026-10-03T15:30', '2026-10-03T16:30'],
    },
    {
      reason: 'the longest window is on the shortest day',
      of: { days: [], start: '02:30', duration: '23h' },
      now: '2026-03-29T23:59Z',
      is: ['2026-03-29T01:00', '2026-03-30T00:00'],
    },
  ])('is found at $now: $reason', ({ of, now, is }) => {
    const { startMs, endMs } = nextWindow(window(of), Date.parse(now));

    expect([short(startMs), short(endMs)]).toEqual(is);
  });

  test.each([
    { now: '2026-11-25T01:29:59Z', open: false },
    { now: '2026-11-25T01:30Z', open: true },
    { now: '2026-11-25T02:29:59Z', open: true },
    { now: '2026-11-25T02:30Z', open: false },
  ])('has an open window at $now: $open', ({ now, open }) => {
    expect(isInWindow(window(), Date.parse(now))).toBe(open);
  });

  test('is cached while it is valid, because rollouts need the windows of all clusters at each step', () => {
    const one = window();
    const [, second, third] = ['2026-11-22T00:00Z', '2026-11-22T00:01Z', '2026-11-25T02:29Z'].map((time) =>
      nextWindow(one, Date.parse(time)),
    );
    const following = nextWindow(one, Date.parse('2026-11-25T02:30Z'));

    expect(third).toBe(second);
    expect(short(following.startMs)).toBe('2026-12-02T01:30');
  });

  test('is the same when read from the cache, even if the clock goes backwards', () => {
    const one = window({ days: [] });
    const times = ['2026-11-25T01:00Z', '2026-11-28T12:00Z', '2026-11-25T02:00Z', '2026-11-25T02:00Z'];

    const windows = times.map((time) => nextWindow(one, Date.parse(time)));
    const retried = times.map((time) => nextWindow(window({ days: [] }), Date.parse(time)));

    expect(windows.map(({ startMs }) => short(startMs))).toEqual(retried.map(({ startMs }) => short(startMs)));
  });
});
