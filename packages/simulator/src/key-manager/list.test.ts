import { expect, it } from 'vitest';
import { matchesLikePattern } from './list.ts';

it.each([
  ['abc', 'abc', true],
  ['ABC', 'abc', true],
  ['abc', 'ab', false],
  ['abc', 'a%', true],
  ['abc', '%c', true],
  ['abc', 'a_c', true],
  ['abc', '%%%', true],
  ['abc', '_%_%_', true],
  ['abc', '____', false],
  ['', '%', true],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
  ['aXbXc', 'a%b%c', true],
  [null, '%', false],
])('%s LIKE %s returns %s', (text, pattern, is) => {
  expect(matchesLikePattern(text, pattern)).toBe(is);
});
