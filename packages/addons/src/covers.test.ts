import { expect, test } from 'vitest';
import { coversObject } from './covers.ts';

const desired = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', labels: { app: 'a' } } };

test.each([
  { fields: { n: 1 }, live: { n: 1, more: 2 }, is: true, reason: 'other fields are ignored' },
  { fields: { n: 1 }, live: { n: 2 }, is: false, reason: 'a value differs' },
  { fields: { n: 1 }, live: {}, is: false, reason: 'a field is missing' },
  { fields: { a: { b: true } }, live: { a: true }, is: false, reason: 'the value has no fields' },
  { fields: { l: ['a', 'b'] }, live: { l: ['a', 'b'] }, is: true, reason: 'the lists are equal' },
  { fields: { l: ['a'] }, live: { l: ['a', 'b'] }, is: false, reason: 'the list is longer' },
  { fields: { l: ['a', 'b'] }, live: { l: ['b', 'a'] }, is: false, reason: 'the list has a different order' },
  {
    fields: { l: [{ name: 'a', n: 1 }] },
    live: { l: [{ name: 'sidecar' }, { name: 'a', n: 1, more: 2 }] },
    is: true,
    reason: 'named items are matched by name',
  },
  {
    fields: { l: [{ name: 'a', n: 1 }] },
    live: { l: [{ name: 'a', n: 2 }] },
    is: false,
    reason: 'a named item differs',
  },
  {
    fields: { l: [{ key: 'a' }] },
    live: { l: [{ key: 'a', op: 'b' }] },
    is: true,
    reason: 'an unnamed item has additional fields',
  },
  { fields: { n: undefined }, live: {}, is: true, reason: 'no value is specified' },
])('$live covers $fields: $is, because $reason', ({ fields, live, is }) => {
  // Items in list responses have no kind.
  expect(coversObject({ metadata: desired.metadata, ...live }, { ...desired, ...fields })).toBe(is);
});

test('a missing object does not cover anything', () => {
  expect(coversObject(undefined, desired)).toBe(false);
});
