import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields, mayHaveDuplicates } from './duplicate-keys.ts';

describe('duplicateFields', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{ "a" : { "b" : 1, "b" : [ ] } , "c" : true }', ['a.b']],
    ['{"a":[{"x":1},{"x":1,"y":2,"x":3}]}', ['a[1].x']],
    ['{"a":"\\"a\\":1,","b":{}}', []],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['[]', []],
  ])('finds in %s: %j', (text, found) => {
    expect(duplicateFields(text)).toEqual(found);
  });

  it('finds none in what JSON.stringify writes, with any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(duplicateFields(text)).toEqual([]);
        expect(indent > 0 || !mayHaveDuplicates(text, JSON.parse(text))).toBe(true);
      }),
    );
  });
});
