import { expect, test } from 'vitest';
import { listed } from './listed.ts';

test.each([
  { count: 0, text: 'none' },
  { count: 2, text: 'n0, n1' },
  { count: 10, text: 'n0, n1, n2, n3, n4, n5, n6, n7 and 2 more' },
])('$count names: $text', ({ count, text }) => {
  expect(listed(Array.from({ length: count }, (_, index) => `n${index}`))).toBe(text);
});
