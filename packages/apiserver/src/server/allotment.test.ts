import { describe, expect, it } from 'vitest';
import { Allotment } from './allotment.ts';

describe('an allotment', () => {
  it.each([
    { alice: 0, bob: 0, amount: 3, obstacle: undefined },
    { alice: 0, bob: 0, amount: 4, obstacle: 'perHolder' },
    { alice: 2, bob: 2, amount: 1, obstacle: undefined },
    { alice: 3, bob: 0, amount: 1, obstacle: 'perHolder' },
    { alice: 2, bob: 3, amount: 1, obstacle: 'total' },
  ])('of 5, 3 per holder, with $alice and $bob taken returns $obstacle for $amount more', (given) => {
    const allotment = new Allotment({ total: 5, perHolder: 3 });
    allotment.take('alice', given.alice);
    allotment.take('bob', given.bob);

    expect(allotment.exceededLimit('alice', given.amount)).toBe(given.obstacle);
  });

  it('regains what is returned', () => {
    const allotment = new Allotment({ total: 2, perHolder: 2 });
    allotment.take('alice', 2);
    allotment.giveBack('alice');

    expect([allotment.used, allotment.heldBy('alice'), allotment.exceededLimit('bob')]).toEqual([1, 1, undefined]);
  });
});
