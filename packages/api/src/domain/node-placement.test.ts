import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeMachines } from './node-placement.ts';

describe('placeMachines', () => {
  it.each([
    { zones: ['a', 'b', 'c'], existing: [], count: 5, placed: ['a', 'b', 'c', 'a', 'b'], reason: 'the zones in turn' },
    {
      zones: ['a', 'b', 'c'],
      existing: ['a', 'a', 'b'],
      count: 3,
      placed: ['c', 'b', 'c'],
      reason: 'the zones with the fewest machines',
    },
    {
      zones: ['a', 'b'],
      existing: ['gone', 'gone'],
      count: 2,
      placed: ['a', 'b'],
      reason: 'machines in other zones do not count',
    },
    {
      zones: [],
      existing: [undefined],
      count: 2,
      placed: [undefined, undefined],
      reason: 'the cloud selects the zones',
    },
    { zones: ['a'], existing: [], count: 0, placed: [], reason: 'no machines to place' },
  ])('places $count machines in $zones in addition to $existing: $reason', ({ zones, existing, count, placed }) => {
    expect(placeMachines(zones, existing, count)).toEqual(placed);
  });

  it('never lets zones differ by more than one machine, unless they already did', () => {
    const zones = ['a', 'b', 'c'];
    const existing = array(constantFrom(...zones), { maxLength: 20 });
    assert(
      property(existing, nat(20), (before, count) => {
        const previousSpread = spread(zones, before);
        const after = spread(zones, [...before, ...placeMachines(zones, before, count)]);
        expect(after).toBeLessThanOrEqual(Math.max(1, previousSpread));
      }),
    );
  });
});

function spread(zones: readonly string[], machines: readonly (string | undefined)[]): number {
  const counts = zones.map((zone) => machines.filter((machine) => machine === zone).length);
  return Math.max(...counts) - Math.min(...counts);
}
