import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeMachines } from './node-placement.ts';

describe('placeMachines', () => {
  it.each([
    { zones: ['a', 'b', 'c'], existing: [], count: 5, placed: ['a', 'b', 'c', 'a', 'b'], reason: 'in turn' },
    {
      zones: ['a', 'b', 'c'],
      existing: ['a', 'a', 'b'],
      count: 3,
      placed: ['c', 'b', 'c'],
      reason: 'where fewest are',
    },
    { zones: ['a', 'b'], existing: ['gone', 'gone'], count: 2, placed: ['a', 'b'], reason: 'other zones do not count' },
    { zones: [], existing: [undefined], count: 2, placed: [undefined, undefined], reason: "the cloud's choice" },
    { zones: ['a'], existing: [], count: 0, placed: [], reason: 'nothing to do' },
  ])('$count over $zones beside $existing: $reason', ({ zones, existing, count, placed }) => {
    expect(placeMachines(zones, existing, count)).toEqual(placed);
  });

  it('never leaves zones further apart than they were, and at most by one when it can', () => {
    const zones = ['a', 'b', 'c'];
    const existing = array(constantFrom(...zones), { maxLength: 20 });
    assert(
      property(existing, nat(20), (before, count) => {
        const spreadBefore = spread(zones, before);
        const after = spread(zones, [...before, ...placeMachines(zones, before, count)]);
        expect(after).toBeLessThanOrEqual(Math.max(1, spreadBefore));
      }),
    );
  });
});

function spread(zones: readonly string[], machines: readonly (string | undefined)[]): number {
  const counts = zones.map((zone) => machines.filter((machine) => machine === zone).length);
  return Math.max(...counts) - Math.min(...counts);
}
