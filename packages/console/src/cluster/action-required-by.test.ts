import { ConditionReason, actionRequiredBy as expectedActor } from '@fairway/api/conditions';
import { expect, test } from 'vitest';
import { actionRequiredBy } from './action-required-by.ts';

test.each(Object.values(ConditionReason))('the console says who must act as the API does: %s', (reason) => {
  const turn = expectedActor(reason);

  expect(
    actionRequiredBy(reason),
    `list ${reason} under '${turn}' in packages/console/src/cluster/action-required-by.ts`,
  ).toBe(turn);
});

test('a reason of a newer server is Fairway’s to deal with', () => {
  expect(actionRequiredBy('SomethingNew')).toBe('fairway');
});
