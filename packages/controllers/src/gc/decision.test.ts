import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import { describe, expect, test } from 'vitest';
import { MAX_RECORDS, nextSweepMs, orphanAction, recordsBeyondLimit } from './decision.ts';
import type { FoundResources, RemainingResource } from './missing-clusters/remaining-resources.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const END_TIME = '2026-03-01T12:00:00Z';
const END_MS = Date.parse(END_TIME);

describe('the next check of a deleted cluster', () => {
  test.each([
    { ageMs: 0, nextMs: 10 * MINUTE_MS },
    { ageMs: 10 * MINUTE_MS, nextMs: HOUR_MS },
    { ageMs: 59 * MINUTE_MS, nextMs: HOUR_MS },
    { ageMs: 2 * HOUR_MS, nextMs: 6 * HOUR_MS },
    { ageMs: 23 * HOUR_MS, nextMs: DAY_MS },
    { ageMs: 2 * DAY_MS, nextMs: 7 * DAY_MS },
    { ageMs: -HOUR_MS, nextMs: 10 * MINUTE_MS, reason: 'the clock was set back' },
  ])('at age $ageMs ms is due $nextMs ms after the deletion', ({ ageMs, nextMs }) => {
    expect(nextSweepMs(END_MS, END_MS + ageMs)).toBe(END_MS + nextMs);
  });

  test('is undefined after a week', () => {
    expect(nextSweepMs(END_MS, END_MS + 7 * DAY_MS)).toBeUndefined();
  });
});

function remains(...times: readonly (string | undefined)[]): FoundResources {
  const items: readonly RemainingResource[] = times.map((createdAt, index) => ({
    id: `${index}`,
    createdAt: createdAt,
  }));
  return new Map(items.length === 0 ? [] : [['servers', items]]);
}

describe('resources with the tag of a deleted cluster', () => {
  test.each<{ found: FoundResources; policy: OrphanPolicy; action: string; reason: string }>([
    { found: remains(), policy: 'Delete', action: 'nothing', reason: 'there are no resources' },
    { found: remains(), policy: 'Report', action: 'nothing', reason: 'there is nothing to report' },
    {
      found: remains('2026-03-01T11:00:00Z'),
      policy: 'Delete',
      action: 'delete',
      reason: 'it was created before the deletion',
    },
    {
      found: remains('2026-03-01T12:59:00Z'),
      policy: 'Delete',
      action: 'delete',
      reason: 'a request took effect late',
    },
    {
      found: remains('2026-03-01T12:59:00Z'),
      policy: 'Report',
      action: 'report',
      reason: 'the operator has chosen to report only',
    },
    {
      found: remains('2026-03-01T13:00:01Z'),
      policy: 'Delete',
      action: 'hold',
      reason: 'no request takes effect that late',
    },
    { found: remains('2026-03-01T13:00:01Z'), policy: 'Report', action: 'hold', reason: 'it is not ours to report' },
    {
      found: remains('2026-03-01T11:00:00Z', '2026-03-02T00:00:00Z'),
      policy: 'Delete',
      action: 'hold',
      reason: 'one resource of another Fairway causes all to be held',
    },
    { found: remains(undefined), policy: 'Delete', action: 'delete', reason: 'server groups have no creation time' },
    {
      found: remains(undefined, '2026-03-02T00:00:00Z'),
      policy: 'Delete',
      action: 'hold',
      reason: 'a server group is deleted with the rest',
    },
    {
      found: remains('2026-03-01T12:30:00.000000'),
      policy: 'Delete',
      action: 'delete',
      reason: 'Cinder’s times are UTC without a time zone',
    },
    { found: remains('2026-03-01T14:30:00'), policy: 'Delete', action: 'hold', reason: 'Octavia’s times are UTC, too' },
    { found: remains('nonsense'), policy: 'Delete', action: 'delete', reason: 'the time cannot be parsed' },
  ])('$action with $policy: $reason', ({ found, policy, action }) => {
    expect(orphanAction(found, END_MS, policy)).toBe(action);
  });
});

test('beyondLimit returns the oldest of too many records', () => {
  const records = Array.from({ length: MAX_RECORDS + 2 }, (_, index) => ({ endedMs: index }));

  expect(recordsBeyondLimit(records)).toEqual([{ endedMs: 1 }, { endedMs: 0 }]);
  expect(recordsBeyondLimit(records.slice(2))).toEqual([]);
});
