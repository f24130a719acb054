import { describe, expect, test } from 'vitest';
import { MAINTENANCE_ANNOTATION } from '../group.ts';
import type { Cluster, ClusterStatus, NewCluster } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { maintenanceGate, maintenanceStatusOf, nextMaintenanceChangeMs, specChangeGate } from './maintenance-gate.ts';

const at = (time: string) => Date.parse(`2026-11-${time}Z`);
const window = { days: ['Wednesday' as const], start: '02:30', duration: '1h', timeZone: 'UTC' };
const WEDNESDAY = at('25T02:30:00');

function cluster(
  maintenance: NewCluster['spec']['maintenance'] = { window },
  { requested, status }: { readonly requested?: string; readonly status?: ClusterStatus['maintenance'] } = {},
): Cluster {
  const annotations = requested === undefined ? {} : { [MAINTENANCE_ANNOTATION]: requested };
  const spec = maintenance === undefined ? {} : { maintenance };
  return { ...aCluster(spec, { annotations }), ...(status && { status: { maintenance: status } }) };
}

describe('the gate for non-urgent work', () => {
  const followed = { requested: 'a', requestedUntil: '2026-11-22T11:00:00Z' };

  test.each([
    { reason: 'the cluster has no maintenance window', of: cluster({}), now: at('22T10:00:00'), opens: undefined },
    { reason: 'the window has not opened yet', of: cluster(), now: at('22T10:00:00'), opens: WEDNESDAY },
    { reason: 'the window is open', of: cluster(), now: at('25T03:29:59'), opens: undefined },
    { reason: 'the window has closed', of: cluster(), now: at('25T03:30:00'), opens: WEDNESDAY + 7 * 86_400_000 },
    {
      reason: 'a request is new',
      of: cluster({ window }, { requested: 'a' }),
      now: at('22T10:00:00'),
      opens: undefined,
    },
    {
      reason: 'a request lasts as long as a window',
      of: cluster({ window }, { requested: 'a', status: followed }),
      now: at('22T10:59:59'),
      opens: undefined,
    },
    {
      reason: 'a request counts only once',
      of: cluster({ window }, { requested: 'a', status: followed }),
      now: at('22T11:00:00'),
      opens: WEDNESDAY,
    },
    {
      reason: 'another value is a new request',
      of: cluster({ window }, { requested: 'b', status: followed }),
      now: at('22T12:00:00'),
      opens: undefined,
    },
    {
      reason: 'removing the annotation has no effect',
      of: cluster({ window }, { status: followed }),
      now: at('22T12:00:00'),
      opens: WEDNESDAY,
    },
  ])('opens at $opens: $reason', ({ of, now, opens }) => {
    const gate = maintenanceGate(of, now);

    expect(gate).toEqual(opens === undefined ? { isOpen: true } : { isOpen: false, opensAtMs: opens });
  });

  test('does not delay requested spec changes, unless the user confines them to the window', () => {
    const now = at('22T10:00:00');

    expect(specChangeGate(cluster(), now)).toEqual({ isOpen: true });
    expect(specChangeGate(cluster({ window, confineSpecChanges: true }), now)).toEqual({
      isOpen: false,
      opensAtMs: WEDNESDAY,
    });
  });
});

describe('the gate of a maintenance window', () => {
  // The window is open on Wednesdays from 01:30 to 04:30 UTC.
  const berlin = { days: ['Wednesday' as const], start: '02:30', duration: '3h', timeZone: 'Europe/Berlin' };

  test.each([
    { field: 'days', now: at('24T02:00:00'), isOpen: false },
    { field: 'start', now: at('25T01:29:59'), isOpen: false },
    { field: 'timeZone', now: at('25T01:30:00'), isOpen: true },
    { field: 'duration', now: at('25T04:29:59'), isOpen: true },
    { field: 'duration', now: at('25T04:30:00'), isOpen: false },
  ])('is open at $now: $isOpen ($field)', ({ now, isOpen }) => {
    expect(maintenanceGate(cluster({ window: berlin }), now).isOpen).toBe(isOpen);
  });
});

describe('status.maintenance', () => {
  test.each([
    { reason: 'nothing for a cluster without maintenance settings', of: cluster({}), status: undefined },
    {
      reason: 'the next window',
      of: cluster(),
      status: { window: { start: '2026-11-25T02:30:00Z', end: '2026-11-25T03:30:00Z' } },
    },
    {
      reason: 'a request without a window, so that a later window does not process it',
      of: cluster({}, { requested: 'a' }),
      status: { requested: 'a' },
    },
    {
      reason: 'a request',
      of: cluster({ window }, { requested: 'a' }),
      status: {
        window: { start: '2026-11-25T02:30:00Z', end: '2026-11-25T03:30:00Z' },
        requested: 'a',
        requestedUntil: '2026-11-22T11:00:00Z',
      },
    },
    {
      reason: 'an earlier request',
      of: cluster({ window }, { requested: 'a', status: { requested: 'a', requestedUntil: '2026-11-22T09:00:00Z' } }),
      status: { window: { start: '2026-11-25T02:30:00Z', end: '2026-11-25T03:30:00Z' }, requested: 'a' },
    },
  ])('records $reason', ({ of, status }) => {
    expect(maintenanceStatusOf(of, at('22T10:00:00'))).toEqual(status);
  });

  test('stays the same for the duration of a request', () => {
    const requested = cluster({ window }, { requested: 'a' });
    const first = maintenanceStatusOf(requested, at('22T10:00:00'));
    const later = maintenanceStatusOf({ ...requested, status: { maintenance: first } }, at('22T10:30:00'));

    expect(later).toEqual(first);
  });

  test.each([
    { now: at('22T10:00:00'), change: WEDNESDAY },
    { now: at('25T03:00:00'), change: at('25T03:30:00') },
  ])('next changes when the window opens or closes', ({ now, change }) => {
    expect(nextMaintenanceChangeMs(cluster(), now)).toBe(change);
    expect(nextMaintenanceChangeMs(cluster({}), now)).toBeUndefined();
  });
});
