import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import type { UsageInterval, UsageRecordStatus } from '../../kinds/usage-record.ts';
import { type EndWindow, followUsage, type ObservedItem, type UsageObservation } from './follow.ts';

const BEGIN_MS = Date.parse('2026-11-26T10:00:00Z');

function at(seconds: number): string {
  return formatTime(BEGIN_MS + seconds * 1000);
}

/** An observation of nodes, each with its start time in seconds. */
function nodes(
  seconds: number,
  items: readonly ObservedItem[],
  ends: Record<string, EndWindow> = {},
): UsageObservation {
  return { resource: 'Node', atMs: BEGIN_MS + seconds * 1000, items, endOf: (id) => ends[id] };
}

function node(id: string, sinceSeconds: number, type = 'b3-8'): ObservedItem {
  return { id, type, sinceMs: BEGIN_MS + sinceSeconds * 1000 };
}

function followed(...observations: readonly UsageObservation[]): UsageRecordStatus {
  return observations.reduce<UsageRecordStatus>((status, observation) => followUsage(status, [observation]), {});
}

/** Formats `a b3-8 0-60 (5)`: ID, type, start, end and uncertainty in seconds. */
function lines({ intervals = [] }: UsageRecordStatus): string[] {
  const seconds = (time: string) => (Date.parse(time) - BEGIN_MS) / 1000;
  return intervals.map(({ id, type, quantity, startTime, endTime, uncertainSeconds }: UsageInterval) => {
    const size = quantity === undefined ? '' : ` ${quantity}`;
    const end = endTime === undefined ? '' : seconds(endTime);
    return `${id} ${type}${size} ${seconds(startTime)}-${end}${uncertainSeconds === undefined ? '' : ` (${uncertainSeconds})`}`;
  });
}

const cases: readonly {
  name: string;
  observations: readonly UsageObservation[];
  expectedIntervals: readonly string[];
}[] = [
  {
    name: 'starts an interval at the time that the cloud reports',
    observations: [nodes(60, [node('a', 10)])],
    expectedIntervals: ['a b3-8 10-'],
  },
  {
    name: 'continues an interval while its item exists',
    observations: [nodes(60, [node('a', 10)]), nodes(120, [node('a', 10)])],
    expectedIntervals: ['a b3-8 10-'],
  },
  {
    name: 'ends an interval when the item was first missing, with the time between two lists as uncertainty',
    observations: [
      nodes(60, [node('a', 10)]),
      nodes(180, [], { a: { fromMs: BEGIN_MS + 170_000, toMs: BEGIN_MS + 175_000 } }),
    ],
    expectedIntervals: ['a b3-8 10-175 (5)'],
  },
  {
    name: 'ends an interval at the first observation after an outage, uncertain since the last accepted observation',
    observations: [nodes(60, [node('a', 10)]), nodes(3600, [])],
    expectedIntervals: ['a b3-8 10-3600 (3540)'],
  },
  {
    name: 'continues an interval if a list had missed the item',
    observations: [nodes(60, [node('a', 10)]), nodes(90, []), nodes(120, [node('a', 10)])],
    expectedIntervals: ['a b3-8 10-'],
  },
  {
    name: 'splits an interval when the flavor changes',
    observations: [nodes(60, [node('a', 10)]), nodes(120, [node('a', 10, 'b3-16')])],
    expectedIntervals: ['a b3-8 10-120 (60)', 'a b3-16 120-'],
  },
  {
    name: 'splits an interval when the size grows',
    observations: [
      nodes(60, [{ ...node('v', 10, 'ssd'), quantity: 10 }]),
      nodes(70, [{ ...node('v', 10, 'ssd'), quantity: 20 }]),
    ],
    expectedIntervals: ['v ssd 10 10-70 (10)', 'v ssd 20 70-'],
  },
  {
    name: 'ignores an observation that started before the last one',
    observations: [nodes(60, [node('a', 10)]), nodes(180, []), nodes(120, [node('a', 10)])],
    expectedIntervals: ['a b3-8 10-180 (120)'],
  },
  {
    name: 'does not start an interval before the last accepted observation',
    observations: [nodes(60, [node('a', 10)]), nodes(180, [node('a', 10), node('b', 20)])],
    expectedIntervals: ['a b3-8 10-', 'b b3-8 60-'],
  },
  {
    name: 'never ends an interval before its start',
    observations: [nodes(60, [node('a', 100)]), nodes(70, [])],
    expectedIntervals: ['a b3-8 100-100'],
  },
];

describe('followUsage', () => {
  test.each(cases)('$name', ({ observations, expectedIntervals }) => {
    expect(lines(followed(...observations))).toEqual(expectedIntervals);
  });

  test('returns the same status object if observations show nothing new', () => {
    const status = followed(nodes(60, [node('a', 10)]));

    expect(followUsage(status, [nodes(120, [node('a', 10)]), nodes(50, [])])).toBe(status);
  });

  test('keeps resource types that were not observed', () => {
    const status = followed(nodes(60, [node('a', 10)]), {
      ...nodes(60, [node('p', 5, 'free')]),
      resource: 'ControlPlane',
    });

    expect(lines(followUsage(status, [nodes(90, [])]))).toEqual(['a b3-8 10-90 (30)', 'p free 5-']);
    expect(status.observedTimes).toEqual({ Node: at(60), ControlPlane: at(60) });
  });
});
