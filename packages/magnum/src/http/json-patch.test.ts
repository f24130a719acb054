import { excessiveGrowth } from '@fairway/base/testing/growth';
import { describe, expect, test } from 'vitest';
import { parseStructure, wholeNumber } from './json-patch.ts';

describe('values of JSON patches', () => {
  test.each([
    [{ a: 1 }, { a: 1 }],
    ['{"a": "b"}', { a: 'b' }],
    ["{'api': 'ok', 'n': 2, 'good': True, 'none': None}", { api: 'ok', n: 2, good: true, none: null }],
    ["[{'key': 'gpu', 'effect': 'NoSchedule'}]", [{ key: 'gpu', effect: 'NoSchedule' }]],
    [`{'quote': 'it\\'s "so"'}`, { quote: `it's "so"` }],
  ])('can be a structure: %j', (value, expected) => {
    expect(parseStructure('/labels', value)).toEqual(expected);
  });

  test.each(['__import__("os")', "{'a': b}", '', "{'a': 'b}", "'a' 'b'", "'a\\", 'NotTrue', 'True1'])(
    'must be a structure, not %j',
    (value) => {
      expect(() => parseStructure('/labels', value)).toThrow(/neither JSON nor a Python literal/);
    },
  );

  test('are read in linear time', async () => {
    expect(await excessiveGrowth((text) => parseStructure('/labels', text))).toBeUndefined();
  });

  test.each([
    [3, 3],
    ['3', 3],
    ['-1', -1],
  ])('can be a number: %j is %i', (value, expected) => {
    expect(wholeNumber('/node_count', value)).toBe(expected);
  });

  test.each(['3.5', 3.5, 'many', null, [3], '99999999999999'])('must be a whole number, not %j', (value) => {
    expect(() => wholeNumber('/node_count', value)).toThrow(/attribute node_count/);
  });
});
