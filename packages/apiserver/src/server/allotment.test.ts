import { describe, expect, it } from 'vitest';
import { Allotment } from './allotment.ts';

describe('an allotment', () => {
  it.each([
    { alice: 0, bob: 0, amount: 3, obstacle: undefined },
    { alice: 0, bob: 0, amount: 4, obstacle: 'perHolder' },
    { alice: 2, bob: 2, amount: 1, obstacle: undefined },
    { alice: 3, bob: 0, amount: 1, obstacle: 'perHolder' },
    { alice: 2, bob: 3, amount: 1, obstacle: 'total' },
  ])(
    'returns $obstacle for $amount more of 5, at most 3 per holder, if alice has $alice and bob has $bob',
    (testCase) => {
      const allotment = new Allotment({ total: 5, perHolder: 3 });
      allotment.take('alice', testCase.alice);
      allotment.take('bob', testCase.bob);

      expect(allotment.exceededLimit('alice', testCase.amount)).toBe(testCase.obstacle);
    },
  );

  it('can reallocate what was returned', () => {
    const allotment = new Allotment({ total: 2, perHolder: 2 });
    allotment.take('alice', 2);
    allotment.release('alice');

    expect([allotment.used, allotment.heldBy('alice'), allotment.exceededLimit('bob')]).toEqual([1, 1, undefined]);
  });
});
