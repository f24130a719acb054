import { ConditionReason, turnOf } from '@fairway/api/conditions';
import { expect, test } from 'vitest';
import { turnOfReason } from './turns.ts';

test.each(Object.values(ConditionReason))('%s is whose turn the API says', (reason) => {
  expect(turnOfReason(reason)).toBe(turnOf(reason));
});

test('what a newer server says is Fairway’s turn until this console knows better', () => {
  expect(turnOfReason('NeverHeardOf')).toBe('fairway');
});
