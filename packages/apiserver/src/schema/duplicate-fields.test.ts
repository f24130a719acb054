import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields } from './duplicate-fields.ts';

describe('duplicate fields', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    [' { "a" : { "b" : [ { "c" : 1 , "c" : "x" } ] } , "d" : [ ] , "e" : { } } ', ['a.b[0].c']],
    ['{"a":{"x":1},"b":{"x":1}}', []],
    ['{"a":"\\"a\\":1,","\\u0061":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a', 'a']],
    ['[{"a":1,"a":2}]', ['[0].a']],
    ['"a"', []],
  ])('%s', (json, expected) => {
    expect(duplicateFields(json)).toEqual(expected);
  });

  it('are never found in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(duplicateFields(JSON.stringify(value, null, indent))).toEqual([]);
      }),
    );
  });
});
