import { expect, test } from 'vitest';
import { GroupedSets } from './grouped-sets.ts';

function grouped(...items: readonly string[]): GroupedSets<string> {
  const sets = new GroupedSets<string>();
  for (const item of items) sets.add(item.slice(0, 1), item);
  return sets;
}

test('counts each item once, in its group and in total', () => {
  const sets = grouped('a1', 'b1', 'a2', 'a1');

  expect([sets.size, sets.sizeOf('a'), sets.sizeOf('b'), sets.sizeOf('c')]).toEqual([3, 2, 1, 0]);
});

test.each([
  { items: [], largest: undefined, oldest: undefined },
  { items: ['a1', 'b1'], largest: 'a', oldest: 'a1' },
  { items: ['a1', 'b1', 'b2'], largest: 'b', oldest: 'b1' },
])('finds the largest group of $items: $largest', ({ items, largest, oldest }) => {
  const sets = grouped(...items);

  expect(sets.largest).toBe(largest);
  expect(sets.oldestOf(largest ?? '')).toBe(oldest);
});

test('removes deleted items and empty groups', () => {
  const sets = grouped('a1', 'a2', 'b1');
  for (const item of ['a1', 'a2', 'a2']) sets.delete('a', item);
  sets.delete('c', 'c1');

  expect([sets.size, sets.sizeOf('a'), sets.largest]).toEqual([1, 0, 'b']);
});
