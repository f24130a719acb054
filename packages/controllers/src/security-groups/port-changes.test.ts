import { expect, test } from 'vitest';
import { portChange } from './port-changes.ts';

test.each([
  {
    reason: 'it has them, in another order',
    has: ['web', 'own'],
    named: ['web'],
    applied: ['web'],
    becomes: undefined,
  },
  { reason: 'it lacks one', has: ['own'], named: ['web'], applied: ['web'], becomes: ['own', 'web'] },
  { reason: "it lacks Fairway's own", has: ['web'], named: ['web'], applied: ['web'], becomes: ['web', 'own'] },
  { reason: 'one is no longer named', has: ['own', 'old'], named: [], applied: ['old'], becomes: ['own'] },
  { reason: 'somebody has added one', has: ['own', 'theirs'], named: [], applied: ['old'], becomes: undefined },
  {
    reason: 'one takes the place of another, beside what somebody has added',
    has: ['own', 'old', 'theirs'],
    named: ['web'],
    applied: ['old', 'web'],
    becomes: ['own', 'theirs', 'web'],
  },
  { reason: "Fairway's own was named", has: ['own'], named: [], applied: ['own'], becomes: undefined },
])('where $reason', ({ has, named, applied, becomes }) => {
  expect(portChange({ security_groups: has }, { ownID: 'own', groupIDs: named, appliedIDs: applied })).toEqual(becomes);
});
