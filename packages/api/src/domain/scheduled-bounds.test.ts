import { describe, expect, test } from 'vitest';
import type { NewNodePool } from '../kinds/node-pool.ts';
import { aNodePool } from '../testing/objects.ts';
import { currentBounds } from './scheduled-bounds.ts';

type Schedule = NonNullable<NonNullable<NewNodePool['spec']['autoscaling']>['schedules']>[number];

const DAY: Schedule = {
  name: 'day',
  start: '0 7 * * 1-5',
  end: '0 20 * * 1-5',
  timeZone: 'Europe/Berlin',
  minReplicas: 5,
};
const NIGHT: Schedule = { name: 'night', start: '0 22 * * *', end: '0 5 * * *', maxReplicas: 3 };
const BATCH: Schedule = {
  name: 'batch',
  start: '0 9 * * 1',
  end: '0 12 * * 1',
  timeZone: 'Europe/Berlin',
  maxReplicas: 50,
};

function specOf(schedules: readonly Schedule[], enabled = true) {
  return aNodePool({
    replicas: 2,
    minReplicas: 1,
    maxReplicas: 10,
    autoscaling: { enabled, schedules: [...schedules] },
  }).spec;
}

function at(time: string, ...schedules: readonly Schedule[]) {
  return currentBounds(specOf(schedules), Date.parse(time));
}

function shown(found: ReturnType<typeof currentBounds>) {
  if (found === undefined) return undefined;
  const { minReplicas, maxReplicas, schedule = '-', nextChange } = found.bounds;
  return `${minReplicas}..${maxReplicas} ${schedule}, then ${nextChange?.schedule ?? '-'} at ${nextChange?.time ?? 'no time'}`;
}

describe("a pool's scheduled bounds", () => {
  // 2026-11-23 is a Monday; Berlin is an hour ahead of UTC.
  test.each([
    {
      reason: 'are those of the pool before a schedule starts',
      time: '2026-11-23T05:59:59Z',
      of: [DAY],
      so: '1..10 -, then day at 2026-11-23T06:00:00Z',
    },
    {
      reason: 'are those of the schedule from its start',
      time: '2026-11-23T06:00:00Z',
      of: [DAY],
      so: '5..10 day, then - at 2026-11-23T19:00:00Z',
    },
    {
      reason: 'are those of the schedule until its end',
      time: '2026-11-23T18:59:59Z',
      of: [DAY],
      so: '5..10 day, then - at 2026-11-23T19:00:00Z',
    },
    {
      reason: 'are those of the pool at the end of a schedule',
      time: '2026-11-23T19:00:00Z',
      of: [DAY],
      so: '1..10 -, then day at 2026-11-24T06:00:00Z',
    },
    {
      reason: 'are those of the pool on a weekend',
      time: '2026-11-21T12:00:00Z',
      of: [DAY],
      so: '1..10 -, then day at 2026-11-23T06:00:00Z',
    },
    {
      reason: 'are those of a schedule that runs past midnight',
      time: '2026-11-24T03:00:00Z',
      of: [NIGHT],
      so: '1..3 night, then - at 2026-11-24T05:00:00Z',
    },
    {
      reason: 'are those of the last schedule in the list',
      time: '2026-11-23T09:00:00Z',
      of: [DAY, BATCH],
      so: '1..50 batch, then day at 2026-11-23T11:00:00Z',
    },
    {
      reason: 'are those of the last schedule, even if it started first',
      time: '2026-11-23T09:00:00Z',
      of: [BATCH, DAY],
      so: '5..10 day, then - at 2026-11-23T19:00:00Z',
    },
    {
      reason: 'continue if a schedule starts again at its end',
      time: '2026-11-24T08:00:00Z',
      of: [{ name: 'week', start: '0 8 * * 1-5', end: '0 8 * * 2-6', minReplicas: 4 }],
      so: '4..10 week, then - at 2026-11-28T08:00:00Z',
    },
    {
      reason: 'change from one schedule to the next',
      time: '2026-11-23T10:00:00Z',
      of: [
        { name: 'early', start: '0 6 * * *', end: '0 12 * * *', minReplicas: 2 },
        { name: 'late', start: '0 12 * * *', end: '0 18 * * *', minReplicas: 4 },
      ],
      so: '2..10 early, then late at 2026-11-23T12:00:00Z',
    },
    {
      reason: 'start an hour earlier in UTC if clocks go forward at night',
      time: '2026-03-28T12:00:00Z',
      of: [{ ...DAY, start: '0 7 * * *', end: '0 20 * * *' }],
      so: '5..10 day, then - at 2026-03-28T19:00:00Z',
    },
    {
      reason: 'end an hour earlier in UTC after clocks went forward',
      time: '2026-03-29T12:00:00Z',
      of: [{ ...DAY, start: '0 7 * * *', end: '0 20 * * *' }],
      so: '5..10 day, then - at 2026-03-29T18:00:00Z',
    },
    {
      reason: 'start after the hour that clocks skip',
      time: '2026-03-29T01:00:00Z',
      of: [{ ...DAY, start: '30 2 * * *', end: '0 4 * * *' }],
      so: '5..10 day, then - at 2026-03-29T02:00:00Z',
    },
    {
      reason: 'start in the first of two repeated hours, and apply through the second',
      time: '2026-10-25T01:15:00Z',
      of: [{ ...DAY, start: '30 2 * * *', end: '0 4 * * *' }],
      so: '5..10 day, then - at 2026-10-25T03:00:00Z',
    },
  ])('$reason', ({ time, of, so }) => {
    expect(shown(at(time, ...of))).toBe(so);
  });

  test('are cached until they change', () => {
    expect(at('2026-11-23T09:00:00Z', DAY)?.untilMs).toBe(Date.parse('2026-11-23T19:00:00Z'));
  });

  test('are the same with or without the cache', () => {
    const schedules = [DAY, NIGHT, BATCH];
    const spec = specOf(schedules);
    const hours = Array.from({ length: 24 * 14 }, (_, hour) => Date.parse('2026-10-20T00:30:00Z') + hour * 3_600_000);

    const again = hours.map((timeMs) => currentBounds(specOf(schedules), timeMs)?.bounds);

    expect(hours.map((timeMs) => currentBounds(spec, timeMs)?.bounds)).toEqual(again);
  });

  test('stay cached across starts and ends that change nothing', () => {
    const idle = (name: string, hour: number): Schedule => ({
      name,
      start: `0 ${hour} * * *`,
      end: `0 ${hour + 1} * * *`,
      minReplicas: 9,
    });
    const yearlong: Schedule = { name: 'year', start: '0 0 1 1 *', end: '0 0 31 12 *', minReplicas: 2 };
    const found = at('2026-06-01T00:30:00Z', idle('a', 3), idle('b', 5), yearlong);

    expect(found?.bounds).toEqual({ minReplicas: 2, maxReplicas: 10, schedule: 'year' });
    expect(found?.untilMs).toBeGreaterThan(Date.parse('2026-06-05T00:00:00Z'));
  });

  test('are undefined without schedules or autoscaling', () => {
    expect(at('2026-11-23T09:00:00Z')).toBeUndefined();
    expect(currentBounds(specOf([DAY], false), Date.parse('2026-11-23T09:00:00Z'))).toBeUndefined();
  });

  test.each([
    {
      wrong: { start: 'in the morning' },
      expectedMessage: 'spec.autoscaling.schedules[0].start: is not a cron expression with five fields',
    },
    { wrong: { end: '* * * * *' }, expectedMessage: 'spec.autoscaling.schedules[0].end: matches again after 1 min' },
    { wrong: { timeZone: 'Mars' }, expectedMessage: 'spec.autoscaling.schedules[0].timeZone: is not a time zone' },
  ])('skip an invalid schedule and report it: $expectedMessage', ({ wrong, expectedMessage }) => {
    const spec = specOf([DAY, NIGHT]);
    const [first, second] = spec.autoscaling.schedules ?? [];
    if (!first || !second) throw new Error('there are two');
    const stored = { ...spec, autoscaling: { ...spec.autoscaling, schedules: [{ ...first, ...wrong }, second] } };

    const { bounds } = currentBounds(stored, Date.parse('2026-11-23T23:00:00Z')) ?? {};

    expect(bounds).toMatchObject({
      maxReplicas: 3,
      schedule: 'night',
      problem: expect.stringContaining(expectedMessage),
    });
  });
});

describe('a schedule within the hour that is skipped when clocks go forward', () => {
  const within = (start: string, end: string): Schedule => ({
    name: 'short',
    start,
    end,
    timeZone: 'Europe/Berlin',
    maxReplicas: 1,
  });
  const short = within('15 2 * * *', '45 2 * * *');
  const long = within('45 2 * * *', '15 2 * * *');

  // In Berlin, clocks go forward from 2:00 to 3:00 on 2027-03-28 at 1:00 UTC.
  test.each([
    { time: '2027-03-28T00:30:00Z', of: short, so: '1..10 -, then short at 2027-03-29T00:15:00Z' },
    { time: '2027-03-28T01:00:00Z', of: short, so: '1..10 -, then short at 2027-03-29T00:15:00Z' },
    { time: '2027-03-28T12:00:00Z', of: short, so: '1..10 -, then short at 2027-03-29T00:15:00Z' },
    { time: '2027-03-29T00:15:00Z', of: short, so: '1..1 short, then - at 2027-03-29T00:45:00Z' },
    { time: '2027-03-28T00:30:00Z', of: long, so: '1..1 short, then - at 2027-03-29T00:15:00Z' },
    { time: '2027-03-28T12:00:00Z', of: long, so: '1..1 short, then - at 2027-03-29T00:15:00Z' },
  ])('is active from $of.start to $of.end: $so at $time', ({ time, of, so }) => {
    expect(shown(at(time, of))).toBe(so);
  });
});
