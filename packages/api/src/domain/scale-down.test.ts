import { describe, expect, it } from 'vitest';
import { chooseRemovals, type RemovalCandidate } from './scale-down.ts';

function machine(name: string, overrides: Partial<RemovalCandidate> = {}): RemovalCandidate {
  return {
    name,
    zone: undefined,
    isBeingDeleted: false,
    isMarked: false,
    isRepairDue: false,
    isBroken: false,
    isUpdateDue: false,
    isAvailable: true,
    isUnneeded: false,
    isUpToDate: true,
    createdMs: 0,
    ...overrides,
  };
}

const old = machine('old', { createdMs: 1 });
const recent = machine('recent', { createdMs: 9 });
const outdated = machine('outdated', { isUpToDate: false });
const starting = machine('starting', { isAvailable: false });
const unneeded = machine('unneeded', { isUnneeded: true });
const toUpdate = machine('to renew', { isUpToDate: false, isUpdateDue: true });
const broken = machine('broken', { isAvailable: false, isBroken: true });
const toRepair = machine('to repair', { isAvailable: false, isBroken: true, isRepairDue: true });
const marked = machine('marked', { isMarked: true });
const deleted = machine('deleted', { isBeingDeleted: true });

describe('chooseRemovals', () => {
  it('removes machines in the documented order', () => {
    const order = [deleted, marked, toRepair, broken, unneeded, toUpdate, starting, outdated, recent, old];
    expect(chooseRemovals(order.toReversed(), order.length)).toEqual(order);
  });

  it.each([
    { case: 'a starting machine rather than the last available one', needed: 1, names: ['starting'] },
    { case: 'the machine to be updated if enough others are available', needed: 0, names: ['to renew'] },
  ])('removes $case', ({ needed, names }) => {
    expect(chooseRemovals([toUpdate, starting], 1, needed).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['a user', marked],
    ['the autoscaler', unneeded],
  ])('removes a machine selected by %s, even if it is needed', (_, chosen) => {
    expect(chooseRemovals([chosen, starting], 1, 2)).toEqual([chosen]);
  });

  it('removes as many machines as requested, even if all of them are needed', () => {
    expect(chooseRemovals([old, recent], 1, 2)).toEqual([recent]);
  });

  it.each([
    { count: 0, names: [] },
    { count: 1, names: ['deleted'] },
    { count: 99, names: ['deleted', 'recent', 'old'] },
  ])('removes $count', ({ count, names }) => {
    expect(chooseRemovals([old, recent, deleted], count).map(({ name }) => name)).toEqual(names);
  });

  it('balances zones before removing the newest machine', () => {
    const machines = [
      machine('a1', { zone: 'a', createdMs: 1 }),
      machine('a2', { zone: 'a', createdMs: 2 }),
      machine('a3', { zone: 'a', createdMs: 3 }),
      machine('b9', { zone: 'b', createdMs: 9 }),
    ];
    expect(chooseRemovals(machines, 3).map(({ name }) => name)).toEqual(['a3', 'a2', 'b9']);
  });

  it('removes unhealthy machines before balancing zones', () => {
    const machines = [
      machine('a1', { zone: 'a' }),
      machine('a2', { zone: 'a' }),
      machine('b', { zone: 'b', isBroken: true, isAvailable: false }),
    ];
    expect(chooseRemovals(machines, 1).map(({ name }) => name)).toEqual(['b']);
  });

  it('does not depend on the order of the machines', () => {
    const machines = [machine('x'), machine('z'), machine('y')];
    expect(chooseRemovals(machines.toReversed(), 2)).toEqual(chooseRemovals(machines, 2));
  });
});
