import { ConditionReason, turnOf } from '@fairway/api/conditions';
import { expect, test } from 'vitest';
import { whoseTurn } from './whose-turn.ts';

test.each(Object.values(ConditionReason))('the console says whose turn it is as the API does: %s', (reason) => {
  expect(whoseTurn(reason)).toBe(turnOf(reason));
});

test('a reason of a newer server is Fairway’s to deal with', () => {
  expect(whoseTurn('SomethingNew')).toBe('fairway');
});
