import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import { describe, expect, test } from 'vitest';
import { beyondLimit, MAX_RECORDS, nextSweepMs, orphanAction } from './decision.ts';
import type { Remain, Remains } from './missing-clusters/cloud-remains.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const END = '2026-03-01T12:00:00Z';
const END_MS = Date.parse(END);

describe('the next look at an ended cluster', () => {
  test.each([
    { ageMs: 0, nextMs: 10 * MINUTE_MS },
    { ageMs: 10 * MINUTE_MS, nextMs: HOUR_MS },
    { ageMs: 59 * MINUTE_MS, nextMs: HOUR_MS },
    { ageMs: 2 * HOUR_MS, nextMs: 6 * HOUR_MS },
    { ageMs: 23 * HOUR_MS, nextMs: DAY_MS },
    { ageMs: 2 * DAY_MS, nextMs: 7 * DAY_MS },
    { ageMs: -HOUR_MS, nextMs: 10 * MINUTE_MS, reason: 'the clock was set back' },
  ])('$ageMs ms after the end is $nextMs ms after it', ({ ageMs, nextMs }) => {
    expect(nextSweepMs(END_MS, END_MS + ageMs)).toBe(END_MS + nextMs);
  });

  test('there is none after a week', () => {
    expect(nextSweepMs(END_MS, END_MS + 7 * DAY_MS)).toBeUndefined();
  });
});

function remains(...times: readonly (string | undefined)[]): Remains {
  const items: readonly Remain[] = times.map((madeAt, index) => ({ id: `${index}`, madeAt }));
  return new Map(items.length === 0 ? [] : [['servers', items]]);
}

describe('what carries the mark of an ended cluster', () => {
  test.each<{ found: Remains; policy: OrphanPolicy; action: string; reason: string }>([
    { found: remains(), policy: 'Delete', action: 'nothing', reason: 'there is nothing' },
    { found: remains(), policy: 'Report', action: 'nothing', reason: 'there is nothing to report' },
    { found: remains('2026-03-01T11:00:00Z'), policy: 'Delete', action: 'delete', reason: 'made before the end' },
    { found: remains('2026-03-01T12:59:00Z'), policy: 'Delete', action: 'delete', reason: 'a late request' },
    { found: remains('2026-03-01T12:59:00Z'), policy: 'Report', action: 'report', reason: 'as the operator has set' },
    { found: remains('2026-03-01T13:00:01Z'), policy: 'Delete', action: 'hold', reason: 'no request is so late' },
    { found: remains('2026-03-01T13:00:01Z'), policy: 'Report', action: 'hold', reason: 'not ours to report' },
    {
      found: remains('2026-03-01T11:00:00Z', '2026-03-02T00:00:00Z'),
      policy: 'Delete',
      action: 'hold',
      reason: 'one that is another Fairway’s keeps all',
    },
    { found: remains(undefined), policy: 'Delete', action: 'delete', reason: 'server groups have no time' },
    {
      found: remains(undefined, '2026-03-02T00:00:00Z'),
      policy: 'Delete',
      action: 'hold',
      reason: 'a server group goes with the rest',
    },
    {
      found: remains('2026-03-01T12:30:00.000000'),
      policy: 'Delete',
      action: 'delete',
      reason: 'Cinder means UTC without saying so',
    },
    { found: remains('2026-03-01T14:30:00'), policy: 'Delete', action: 'hold', reason: 'and so does Octavia' },
    { found: remains('nonsense'), policy: 'Delete', action: 'delete', reason: 'a time that nobody can read' },
  ])('$action with $policy: $reason', ({ found, policy, action }) => {
    expect(orphanAction(found, END_MS, policy)).toBe(action);
  });
});

test('of too many records the oldest go', () => {
  const records = Array.from({ length: MAX_RECORDS + 2 }, (_, index) => ({ endedMs: index }));

  expect(beyondLimit(records)).toEqual([{ endedMs: 1 }, { endedMs: 0 }]);
  expect(beyondLimit(records.slice(2))).toEqual([]);
});
