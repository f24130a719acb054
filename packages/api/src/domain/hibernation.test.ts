import { describe, expect, test } from 'vitest';
import type { Cluster, NewCluster } from '../kinds/cluster.ts';
import type { HibernationStatus } from '../kinds/cluster-hibernation.ts';
import { aCluster } from '../testing/objects.ts';
import { decideHibernation, nextHibernationChangeMs, shouldHibernate } from './hibernation.ts';

type Spec = NewCluster['spec']['hibernation'];

/** A Monday. */
const at = (time: string) => Date.parse(`2026-11-${time}:00Z`);
const nightly = [{ hibernate: '0 20 * * 1-5', wake: '0 7 * * 1-5', timeZone: 'UTC' }];

function cluster(hibernation: Spec, status?: HibernationStatus): Cluster {
  const of = aCluster(hibernation === undefined ? {} : { hibernation });
  return { ...of, ...(status && { status: { hibernation: status } }) };
}

/** The desired state after a cluster has been reconciled with these specs at these times. */
function desiredStateAfter(...looks: readonly (readonly [time: string, spec: Spec])[]): boolean | undefined {
  let status: HibernationStatus | undefined;
  for (const [time, spec] of looks) status = decideHibernation(cluster(spec, status), at(time));
  return status?.wanted;
}

describe('desired hibernation', () => {
  const schedules = nightly;
  const requested = (enabled: boolean, requestedAt?: string) => ({
    enabled,
    schedules,
    ...(requestedAt !== undefined && { requestedAt: `2026-11-${requestedAt}:00Z` }),
  });

  test.each<{ reason: string; looks: readonly (readonly [string, Spec])[]; wanted: boolean | undefined }>([
    { reason: 'hibernation was never used', looks: [['23T09:00', undefined]], wanted: undefined },
    { reason: 'enabled is true', looks: [['23T09:00', { enabled: true }]], wanted: true },
    {
      reason: 'enabled is false again',
      looks: [
        ['23T09:00', { enabled: true }],
        ['23T10:00', { enabled: false }],
      ],
      wanted: false,
    },
    {
      reason: 'an earlier request from a repository has no effect',
      looks: [
        ['23T06:00', requested(true, '23T06:00')],
        ['23T07:00', requested(true, '23T06:00')],
        ['23T09:00', requested(true, '23T05:00')],
      ],
      wanted: false,
    },
    {
      reason: 'a removed request has no effect when it returns',
      looks: [
        ['23T06:00', requested(true, '23T06:00')],
        ['23T07:00', requested(true)],
        ['23T09:00', requested(true, '23T06:00')],
      ],
      wanted: false,
    },
    {
      reason: 'removing spec.hibernation wakes the cluster',
      looks: [
        ['23T09:00', { schedules }],
        ['23T20:00', { schedules }],
        ['23T21:00', undefined],
      ],
      wanted: false,
    },
    {
      reason: 'a schedule hibernates the cluster',
      looks: [
        ['23T19:59', { schedules }],
        ['23T20:00', { schedules }],
      ],
      wanted: true,
    },
    {
      reason: 'a new schedule applies from now on',
      looks: [['23T21:00', { schedules }]],
      wanted: false,
    },
    {
      reason: 'a replaced schedule applies from now on',
      looks: [
        ['23T09:00', { schedules }],
        ['23T21:00', { schedules: [{ ...nightly[0], hibernate: '30 20 * * *' }] }],
      ],
      wanted: false,
    },
    {
      reason: 'a schedule wakes the cluster',
      looks: [
        ['23T09:00', { schedules }],
        ['23T20:00', { schedules }],
        ['24T07:00', { schedules }],
      ],
      wanted: false,
    },
    {
      reason: 'a schedule missed on Friday evening applies on Sunday',
      looks: [
        ['23T09:00', { schedules }],
        ['29T12:00', { schedules }],
      ],
      wanted: true,
    },
    {
      reason: 'a user has since woken the cluster',
      looks: [
        ['23T09:00', requested(false)],
        ['23T20:00', requested(false)],
        ['23T21:00', requested(false, '23T21:00')],
        ['23T22:00', requested(false, '23T21:00')],
      ],
      wanted: false,
    },
    {
      reason: 'the next scheduled time hibernates the cluster again',
      looks: [
        ['23T20:00', requested(false)],
        ['23T21:00', requested(false, '23T21:00')],
        ['24T20:00', requested(false, '23T21:00')],
      ],
      wanted: true,
    },
    {
      reason: 'removing requestedAt has no effect',
      looks: [
        ['23T12:00', requested(true, '23T12:00')],
        ['24T08:00', requested(true, '23T12:00')],
        ['24T09:00', requested(true)],
      ],
      wanted: false,
    },
    {
      reason: 'a schedule without a wake time never wakes the cluster',
      looks: [
        ['23T09:00', { schedules: [{ hibernate: '0 20 * * *' }] }],
        ['25T09:00', { schedules: [{ hibernate: '0 20 * * *' }] }],
      ],
      wanted: true,
    },
    {
      reason: 'waking wins if both times are the same',
      looks: [
        ['23T09:00', { schedules: [{ wake: '0 20 * * *' }, { hibernate: '0 20 * * *' }] }],
        ['23T20:00', { schedules: [{ wake: '0 20 * * *' }, { hibernate: '0 20 * * *' }] }],
      ],
      wanted: false,
    },
    {
      reason: 'schedules follow their time zone',
      looks: [
        ['23T18:59', { schedules: [{ hibernate: '0 20 * * *', timeZone: 'Europe/Berlin' }] }],
        ['23T19:00', { schedules: [{ hibernate: '0 20 * * *', timeZone: 'Europe/Berlin' }] }],
      ],
      wanted: true,
    },
  ])('is $wanted: $reason', ({ looks, wanted }) => {
    expect(desiredStateAfter(...looks)).toBe(wanted);
  });
});

test('keeps a decision while nothing changes', () => {
  const first = decideHibernation(cluster({ schedules: nightly }), at('23T09:00'));
  const later = decideHibernation(cluster({ schedules: nightly }, first), at('23T15:00'));

  expect(later).toEqual(first);
  expect(first).toEqual({
    wanted: false,
    wantedSince: '2026-11-23T09:00:00Z',
    hibernated: false,
    next: { hibernate: '2026-11-23T20:00:00Z', wake: '2026-11-24T07:00:00Z' },
    followed: { enabled: false, schedules: nightly, time: '2026-11-23T09:00:00Z' },
  });
});

test('keeps the observed state', () => {
  const status = { wanted: true, wantedSince: '2026-11-23T09:00:00Z', hibernated: true, since: '2026-11-23T09:05:00Z' };

  expect(decideHibernation(cluster({ enabled: true }, status), at('23T15:00'))).toMatchObject({
    hibernated: true,
    since: '2026-11-23T09:05:00Z',
  });
});

test('returns the earliest time of all schedules', () => {
  const schedules = [...nightly, { hibernate: '0 12 * * *', timeZone: 'UTC' }];

  expect(nextHibernationChangeMs(cluster({ schedules }), at('23T09:00'))).toBe(at('23T12:00'));
  expect(nextHibernationChangeMs(cluster({ enabled: true }), at('23T09:00'))).toBeUndefined();
});

test('treats an unknown cluster as awake', () => {
  expect(shouldHibernate(undefined)).toBe(false);
});

test.each<{ field: string; before: Spec; now: Spec; time: string; wanted: boolean }>([
  { field: 'enabled', before: {}, now: { enabled: true }, time: '23T09:00', wanted: true },
  {
    field: 'requestedAt',
    before: { schedules: [{ hibernate: '0 10 * * *' }] },
    now: { schedules: [{ hibernate: '0 10 * * *' }], requestedAt: '2026-11-23T11:00:00Z' },
    time: '23T11:00',
    wanted: false,
  },
  {
    field: 'schedules[].hibernate',
    before: { schedules: [{ hibernate: '0 10 * * *' }] },
    now: { schedules: [{ hibernate: '0 10 * * *' }] },
    time: '23T10:00',
    wanted: true,
  },
  {
    field: 'schedules[].wake',
    before: { enabled: true, schedules: [{ wake: '0 10 * * *' }] },
    now: { enabled: true, schedules: [{ wake: '0 10 * * *' }] },
    time: '23T10:00',
    wanted: false,
  },
  {
    field: 'schedules[].timeZone',
    before: { schedules: [{ hibernate: '0 12 * * *', timeZone: 'Europe/Berlin' }] },
    now: { schedules: [{ hibernate: '0 12 * * *', timeZone: 'Europe/Berlin' }] },
    time: '23T11:00',
    wanted: true,
  },
])('reads $field of a cluster', ({ field, before, now, time, wanted }) => {
  const first = decideHibernation(cluster(before), at('23T08:00'));
  // As if the schedule had hibernated the cluster.
  const previous = field === 'requestedAt' && first ? { ...first, wanted: true } : first;

  expect(decideHibernation(cluster(now, previous), at(time))?.wanted).toBe(wanted);
});
