import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test.each([
  [0, '0 nodes'],
  [1, '1 node'],
  [2, '2 nodes'],
])('%i is told as %s', (count, words) => {
  expect(counted(count, 'node')).toBe(words);
});
