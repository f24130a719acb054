import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import type { UsageInterval, UsageRecordStatus } from '../../kinds/usage-record.ts';
import { type EndWindow, followUsage, type ObservedItem, type UsageObservation } from './follow.ts';

const BEGIN = Date.parse('2026-11-26T10:00:00Z');

function at(seconds: number): string {
  return formatTime(BEGIN + seconds * 1000);
}

/** Nodes that a look at so many seconds showed. */
function nodes(
  seconds: number,
  items: readonly ObservedItem[],
  ends: Record<string, EndWindow> = {},
): UsageObservation {
  return { resource: 'Node', atMs: BEGIN + seconds * 1000, items, endOf: (id) => ends[id] };
}

function node(id: string, sinceSeconds: number, type = 'b3-8'): ObservedItem {
  return { id, type, sinceMs: BEGIN + sinceSeconds * 1000 };
}

function followed(...observations: readonly UsageObservation[]): UsageRecordStatus {
  return observations.reduce<UsageRecordStatus>((status, observation) => followUsage(status, [observation]), {});
}

/** `a b3-8 0-60 (5)`: begin, end and uncertainty in seconds. */
function lines({ intervals = [] }: UsageRecordStatus): string[] {
  const seconds = (time: string) => (Date.parse(time) - BEGIN) / 1000;
  return intervals.map(({ id, type, quantity, startTime, endTime, uncertainSeconds }: UsageInterval) => {
    const size = quantity === undefined ? '' : ` ${quantity}`;
    const end = endTime === undefined ? '' : seconds(endTime);
    return `${id} ${type}${size} ${seconds(startTime)}-${end}${uncertainSeconds === undefined ? '' : ` (${uncertainSeconds})`}`;
  });
}

const cases: readonly { name: string; observations: readonly UsageObservation[]; says: readonly string[] }[] = [
  {
    name: 'begins when the cloud says, not when it was seen',
    observations: [nodes(60, [node('a', 10)])],
    says: ['a b3-8 10-'],
  },
  {
    name: 'runs on while it is shown',
    observations: [nodes(60, [node('a', 10)]), nodes(120, [node('a', 10)])],
    says: ['a b3-8 10-'],
  },
  {
    name: 'ends when it was first missing, less what lies between two lists',
    observations: [
      nodes(60, [node('a', 10)]),
      nodes(180, [], { a: { fromMs: BEGIN + 170_000, toMs: BEGIN + 175_000 } }),
    ],
    says: ['a b3-8 10-175 (5)'],
  },
  {
    name: 'ends with the first look after nobody was there, uncertain since the last that counts',
    observations: [nodes(60, [node('a', 10)]), nodes(3600, [])],
    says: ['a b3-8 10-3600 (3540)'],
  },
  {
    name: 'goes on where it was if a list had missed it',
    observations: [nodes(60, [node('a', 10)]), nodes(90, []), nodes(120, [node('a', 10)])],
    says: ['a b3-8 10-'],
  },
  {
    name: 'is split when its flavor changes',
    observations: [nodes(60, [node('a', 10)]), nodes(120, [node('a', 10, 'b3-16')])],
    says: ['a b3-8 10-120 (60)', 'a b3-16 120-'],
  },
  {
    name: 'is split when it grows',
    observations: [
      nodes(60, [{ ...node('v', 10, 'ssd'), quantity: 10 }]),
      nodes(70, [{ ...node('v', 10, 'ssd'), quantity: 20 }]),
    ],
    says: ['v ssd 10 10-70 (10)', 'v ssd 20 70-'],
  },
  {
    name: 'is not counted again by a look that began before the last one',
    observations: [nodes(60, [node('a', 10)]), nodes(180, []), nodes(120, [node('a', 10)])],
    says: ['a b3-8 10-180 (120)'],
  },
  {
    name: 'does not begin before the last look that counts, which would have shown it',
    observations: [nodes(60, [node('a', 10)]), nodes(180, [node('a', 10), node('b', 20)])],
    says: ['a b3-8 10-', 'b b3-8 60-'],
  },
  {
    name: 'never ends before it began',
    observations: [nodes(60, [node('a', 100)]), nodes(70, [])],
    says: ['a b3-8 100-100'],
  },
];

describe('what is followed', () => {
  test.each(cases)('$name', ({ observations, says }) => {
    expect(lines(followed(...observations))).toEqual(says);
  });

  test('looks that show nothing new change nothing', () => {
    const status = followed(nodes(60, [node('a', 10)]));

    expect(followUsage(status, [nodes(120, [node('a', 10)]), nodes(50, [])])).toBe(status);
  });

  test('what no look is about stays as it is', () => {
    const status = followed(nodes(60, [node('a', 10)]), {
      ...nodes(60, [node('p', 5, 'free')]),
      resource: 'ControlPlane',
    });

    expect(lines(followUsage(status, [nodes(90, [])]))).toEqual(['a b3-8 10-90 (30)', 'p free 5-']);
    expect(status.observedTimes).toEqual({ Node: at(60), ControlPlane: at(60) });
  });
});
