import { expect, test } from 'vitest';
import { mergeDifference } from './status-writer.ts';

test.each([
  { from: {}, to: {}, patch: undefined, reason: 'nothing changed' },
  { from: { a: 1 }, to: { a: 1, b: undefined }, patch: undefined, reason: 'undefined means absent' },
  { from: { a: 1 }, to: { a: 2 }, patch: { a: 2 }, reason: 'changed' },
  { from: { a: 1, b: 2 }, to: { a: 1 }, patch: { b: null }, reason: 'gone' },
  {
    from: { a: { x: 1, y: 2 } },
    to: { a: { x: 1, y: 3 } },
    patch: { a: { y: 3 } },
    reason: 'undefined inside an object',
  },
  { from: { a: [1] }, to: { a: [1, 2] }, patch: { a: [1, 2] }, reason: 'lists are replaced as a whole' },
])('mergeDifference from $from to $to is $patch: $reason', ({ from, to, patch }) => {
  expect(mergeDifference(from, to)).toEqual(patch);
});
