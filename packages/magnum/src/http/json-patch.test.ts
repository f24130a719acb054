import { excessiveGrowth } from '@fairway/base/testing/growth';
import { describe, expect, test } from 'vitest';
import { structure, wholeNumber } from './json-patch.ts';

describe('values of JSON patches', () => {
  test.each([
    [{ a: 1 }, { a: 1 }],
    ['{"a": "b"}', { a: 'b' }],
    ["{'api': 'ok', 'n': 2, 'good': True, 'none': None}", { api: 'ok', n: 2, good: true, none: null }],
    ["[{'key': 'gpu', 'effect': 'NoSchedule'}]", [{ key: 'gpu', effect: 'NoSchedule' }]],
    [`{'quote': 'it\\'s "so"'}`, { quote: `it's "so"` }],
  ])('%j is a structure', (value, expected) => {
    expect(structure('/labels', value)).toEqual(expected);
  });

  test.each(['__import__("os")', "{'a': b}", '', "{'a': 'b}", "'a' 'b'", "'a\\", 'NotTrue', 'True1'])(
    '%j is not',
    (value) => {
      expect(() => structure('/labels', value)).toThrow(/neither JSON nor a Python literal/);
    },
  );

  test('is read in linear time', async () => {
    expect(await excessiveGrowth((text) => structure('/labels', text))).toBeUndefined();
  });

  test.each([
    [3, 3],
    ['3', 3],
    ['-1', -1],
  ])('%j is the number %i', (value, expected) => {
    expect(wholeNumber('/node_count', value)).toBe(expected);
  });

  test.each(['3.5', 3.5, 'many', null, [3], '99999999999999'])('%j is not a whole number', (value) => {
    expect(() => wholeNumber('/node_count', value)).toThrow(/attribute node_count/);
  });
});
