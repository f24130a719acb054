import { expect, test } from 'vitest';
import { code, link, listOf, plainText, text } from './rich-text.ts';

test.each([
  { values: [], expected: '' },
  { values: ['a'], expected: 'a' },
  { values: ['a', 'b'], expected: 'a and b' },
  { values: ['a', 'b', 'c'], expected: 'a, b and c' },
])('lists $values as "$expected"', ({ values, expected }) => {
  expect(plainText(listOf(values.map(code)))).toBe(expected);
});

test('marks keep what is code and what is a link, and plain text has neither', () => {
  const sentence = text`Use ${link(text`mode ${code('RWO')}`, 'https://example.org')} in ${'this cloud'}${''}.`;

  expect(sentence).toEqual([
    'Use ',
    { link: 'https://example.org', label: ['mode ', { code: 'RWO' }] },
    ' in ',
    'this cloud',
    '.',
  ]);
  expect(plainText(sentence)).toBe('Use mode RWO in this cloud.');
});
