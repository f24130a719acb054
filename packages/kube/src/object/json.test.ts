import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, cloneJson, jsonEqual } from './json.ts';

describe('JSON values', () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: undefined, b: 1 }, { b: 1, c: 2 }, false],
    [{ a: null }, {}, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [null, {}, false],
    ['1', 1, false],
  ])('%j equals %j: %s', (left, right, expected) => {
    expect(jsonEqual(left, right)).toBe(expected);
    expect(jsonEqual(right, left)).toBe(expected);
  });

  it('copies values without sharing, and serializes equal values equally', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = cloneJson(value);
        expect(jsonEqual(copy, value)).toBe(true);
        expect(canonicalJson(copy)).toBe(canonicalJson(value));
        expect(jsonEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
    );
  });
});
