import { describe, expect, it } from 'vitest';
import { chooseRemovals, type RemovalCandidate } from './scale-down.ts';

function machine(name: string, overrides: Partial<RemovalCandidate> = {}): RemovalCandidate {
  return {
    name,
    zone: undefined,
    isBeingDeleted: false,
    isMarked: false,
    isHealthy: true,
    isUpToDate: true,
    createdMs: 0,
    ...overrides,
  };
}

const old = machine('old', { createdMs: 1 });
const recent = machine('recent', { createdMs: 9 });
const outdated = machine('outdated', { isUpToDate: false });
const unhealthy = machine('unhealthy', { isHealthy: false });
const marked = machine('marked', { isMarked: true });
const deleted = machine('deleted', { isBeingDeleted: true });

describe('chooseRemovals', () => {
  it('takes what users chose, the unhealthy, the outdated and the most recent, in this order', () => {
    const order = chooseRemovals([old, recent, outdated, unhealthy, marked, deleted], 6);
    expect(order.map(({ name }) => name)).toEqual(['deleted', 'marked', 'unhealthy', 'outdated', 'recent', 'old']);
  });

  it.each([
    { count: 0, names: [] },
    { count: 1, names: ['deleted'] },
    { count: 99, names: ['deleted', 'recent', 'old'] },
  ])('takes $count', ({ count, names }) => {
    expect(chooseRemovals([old, recent, deleted], count).map(({ name }) => name)).toEqual(names);
  });

  it('keeps zones balanced among equals, even against age', () => {
    const machines = [
      machine('a1', { zone: 'a', createdMs: 1 }),
      machine('a2', { zone: 'a', createdMs: 2 }),
      machine('a3', { zone: 'a', createdMs: 3 }),
      machine('b9', { zone: 'b', createdMs: 9 }),
    ];
    expect(chooseRemovals(machines, 3).map(({ name }) => name)).toEqual(['a3', 'a2', 'b9']);
  });

  it('prefers health to balance', () => {
    const machines = [
      machine('a1', { zone: 'a' }),
      machine('a2', { zone: 'a' }),
      machine('b', { zone: 'b', isHealthy: false }),
    ];
    expect(chooseRemovals(machines, 1).map(({ name }) => name)).toEqual(['b']);
  });

  it('is the same whatever order machines come in', () => {
    const machines = [machine('x'), machine('z'), machine('y')];
    expect(chooseRemovals(machines.toReversed(), 2)).toEqual(chooseRemovals(machines, 2));
  });
});
