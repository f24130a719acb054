import { expect, test } from 'vitest';
import { coversObject } from './covers.ts';

const wanted = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', labels: { app: 'a' } } };

test.each([
  { fields: { n: 1 }, live: { n: 1, more: 2 }, is: true, reason: 'what it has besides does not count' },
  { fields: { n: 1 }, live: { n: 2 }, is: false, reason: 'a value differs' },
  { fields: { n: 1 }, live: {}, is: false, reason: 'a field is missing' },
  { fields: { a: { b: true } }, live: { a: true }, is: false, reason: 'it has no fields at all' },
  { fields: { l: ['a', 'b'] }, live: { l: ['a', 'b'] }, is: true, reason: 'lists are the same' },
  { fields: { l: ['a'] }, live: { l: ['a', 'b'] }, is: false, reason: 'a list is longer' },
  { fields: { l: ['a', 'b'] }, live: { l: ['b', 'a'] }, is: false, reason: 'a list has another order' },
  {
    fields: { l: [{ name: 'a', n: 1 }] },
    live: { l: [{ name: 'sidecar' }, { name: 'a', n: 1, more: 2 }] },
    is: true,
    reason: 'things with names are found by them',
  },
  {
    fields: { l: [{ name: 'a', n: 1 }] },
    live: { l: [{ name: 'a', n: 2 }] },
    is: false,
    reason: 'one of them differs',
  },
  { fields: { l: [{ key: 'a' }] }, live: { l: [{ key: 'a', op: 'b' }] }, is: true, reason: 'an item has more fields' },
  { fields: { n: undefined }, live: {}, is: true, reason: 'nothing is wanted' },
])('$live covers $fields: $is, because $reason', ({ fields, live, is }) => {
  // Objects in lists have no kind.
  expect(coversObject({ metadata: wanted.metadata, ...live }, { ...wanted, ...fields })).toBe(is);
});

test('a missing object covers nothing', () => {
  expect(coversObject(undefined, wanted)).toBe(false);
});
