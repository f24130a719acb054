import { describe, expect, it } from 'vitest';
import { type Call, type FaultInput, Faults } from './faults.ts';

const call: Call = {
  service: 'compute',
  method: 'POST',
  path: '/compute/v2.1/servers',
  projectId: 'p1',
  projectName: 'demo',
};

const action = { kind: 'answer', status: 500 } as const;

describe('Faults', () => {
  it.each<[string, Omit<FaultInput, 'action'>, boolean]>([
    ['anything', {}, true],
    ['the service', { service: 'compute' }, true],
    ['another service', { service: 'network' }, false],
    ['the method in any case', { method: 'post' }, true],
    ['another method', { method: 'GET' }, false],
    ['the path', { path: 'servers$' }, true],
    ['another path', { path: '^/network' }, false],
    ['the project by ID', { project: 'p1' }, true],
    ['the project by name', { project: 'demo' }, true],
    ['another project', { project: 'other' }, false],
  ])('decides whether a rule for %s matches the call', (_name, match, isHit) => {
    const faults = new Faults();
    faults.add({ ...match, action });

    expect(faults.matchCall(call)).toHaveLength(isHit ? 1 : 0);
  });

  it.each<[string, Pick<FaultInput, 'nth' | 'times'>, readonly number[]]>([
    ['the first call, once', {}, [1]],
    ['the third call', { nth: 3 }, [3]],
    ['two calls from the second on', { nth: 2, times: 2 }, [2, 3]],
    ['all calls from the fourth on', { nth: 4, times: null }, [4, 5, 6]],
  ])('affects %s', (_name, counts, expected) => {
    const faults = new Faults();
    faults.add({ ...counts, action });

    const hits = [1, 2, 3, 4, 5, 6].filter(() => faults.matchCall(call).length > 0);

    expect(hits).toEqual(expected);
  });

  it('removes a fault after it has affected the given number of calls', () => {
    const faults = new Faults();
    faults.add({ action });
    faults.matchCall(call);

    expect(faults.list()).toEqual([]);
  });

  it('keeps a flavor out of stock until the fault is removed', () => {
    const faults = new Faults();
    const id = faults.add({ action: { kind: 'outOfStock', flavor: 'b3-8', zone: 'nova-a' } });

    expect(faults.isOutOfStock('b3-8', 'nova-a')).toBe(true);
    expect(faults.isOutOfStock('b3-8', 'nova-b')).toBe(false);
    faults.remove(id);
    expect(faults.isOutOfStock('b3-8', 'nova-a')).toBe(false);
  });

  it('rejects an invalid rule', () => {
    expect(() => new Faults().add({ action: { kind: 'answer', status: 200 } })).toThrow('>=400');
  });
});
