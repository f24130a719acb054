import { expect, test } from 'vitest';
import { pluralize } from './pluralize.ts';

test.each([
  [0, '0 nodes'],
  [1, '1 node'],
  [2, '2 nodes'],
])('formats %i as %s', (count, words) => {
  expect(pluralize(count, 'node')).toBe(words);
});
