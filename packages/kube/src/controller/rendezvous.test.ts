import { describe, expect, test } from 'vitest';
import { assignEvenly } from './rendezvous.ts';

const SHARDS = 64;

function loads(assigned: readonly string[]): number[] {
  return [...Map.groupBy(assigned, (member) => member).values()].map(({ length }) => length);
}

function names(count: number, seed: number): string[] {
  return Array.from({ length: count }, (_, i) => `fairway-${i}-${(seed * 7919 + i) % 1000}`).sort();
}

describe('assignEvenly', () => {
  test.each([1, 2, 3, 5, 10, 64, 100])('shares items evenly among %i members', (count) => {
    for (let seed = 0; seed < 10; seed++) {
      const assigned = assignEvenly(SHARDS, names(count, seed));

      expect(assigned.filter((member) => member !== undefined)).toHaveLength(SHARDS);
      expect(Math.max(...loads(assigned))).toBe(Math.ceil(SHARDS / count));
    }
  });

  test('computes the same assignment for every member, in any order', () => {
    const members = names(5, 1);

    expect(assignEvenly(SHARDS, members.toReversed())).toEqual(assignEvenly(SHARDS, members));
    expect(assignEvenly(SHARDS, [])).toEqual([]);
  });
});

test('assignEvenly moves little more than the share of a joining or leaving member', () => {
  for (let seed = 0; seed < 20; seed++) {
    const members = names(4, seed);
    const before = assignEvenly(SHARDS, members);
    const after = assignEvenly(SHARDS, members.slice(1));
    const moved = before.filter((member, shard) => member !== after[shard]).length;

    expect(moved).toBeLessThanOrEqual((SHARDS / 4) * 1.8);
  }
});
