import { describe, expect, it } from 'vitest';
import { compileJsonPath, fieldNamesOf, getAt, setAt } from './path.ts';

const object = {
  metadata: { labels: { 'a.b/c': 'x' } },
  spec: {
    replicas: 3,
    pools: [
      { name: 'p', size: 1 },
      { name: 'q', size: 5 },
    ],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Old', status: 'False', on: true },
    ],
  },
};

describe('JSON paths', () => {
  it.each([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['$.spec.replicas', [3]],
    ['spec.replicas', [3]],
    ['.spec.missing.deeper', []],
    [".metadata.labels['a.b/c']", ['x']],
    ['.metadata.labels.a\\.b/c', ['x']],
    ['.spec.pools[1].name', ['q']],
    ['.spec.pools[-1].name', ['q']],
    ['.spec.pools[7].name', []],
    ['.spec.pools[*].name', ['p', 'q']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Gone')].status", []],
    ['.status.conditions[?(@.on)].type', ['Old']],
    ['.status.conditions[?(@.on==true)].type', ['Old']],
    ['.spec.pools[?(@.size>=2)].name', ['q']],
    ['.spec.pools[?(@.name!="p")].size', [5]],
    ['.spec.toString', []],
  ])('return the values that %s selects', (path, expected) => {
    expect(compileJsonPath(path)(object)).toEqual(expected);
  });

  it.each(['.a[', '.a[?(', '.a b', '.a..b'])('are refused if malformed: %j', (path) => {
    expect(() => compileJsonPath(path)).toThrow('cannot read JSON path');
  });

  it('get and set values by plain field names', () => {
    const names = fieldNamesOf('.spec.replicas');
    const copy = {};
    setAt(copy, names, 4);
    expect(copy).toEqual({ spec: { replicas: 4 } });
    expect(getAt(copy, names)).toBe(4);
    expect(getAt({}, ['constructor', 'name'])).toBeUndefined();
    expect(() => fieldNamesOf('.spec.pools[0]')).toThrow('may only name fields');
  });

  it('cannot be used to reach prototypes', () => {
    const target = {};
    setAt(target, ['__proto__', 'polluted'], true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object.prototype, 'polluted')).toBeUndefined();
  });
});
