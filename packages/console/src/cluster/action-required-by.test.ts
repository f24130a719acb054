import { ConditionReason, actionRequiredBy as expectedActor } from '@fairway/api/conditions';
import { expect, test } from 'vitest';
import { actionRequiredBy } from './action-required-by.ts';

test.each(Object.values(ConditionReason))('the console and the API agree on who must act: %s', (reason) => {
  const turn = expectedActor(reason);

  expect(
    actionRequiredBy(reason),
    `list ${reason} under '${turn}' in packages/console/src/cluster/action-required-by.ts`,
  ).toBe(turn);
});

test('a reason that the console does not recognise requires action by Fairway', () => {
  expect(actionRequiredBy('SomethingNew')).toBe('fairway');
});
