import { expect, test } from 'vitest';
import { portChange } from './port-changes.ts';

test.each([
  {
    reason: 'it has them in another order',
    has: ['web', 'own'],
    named: ['web'],
    applied: ['web'],
    becomes: undefined,
  },
  { reason: 'it lacks one', has: ['own'], named: ['web'], applied: ['web'], becomes: ['own', 'web'] },
  { reason: "it lacks Fairway's own group", has: ['web'], named: ['web'], applied: ['web'], becomes: ['web', 'own'] },
  { reason: 'one is no longer named', has: ['own', 'old'], named: [], applied: ['old'], becomes: ['own'] },
  { reason: 'someone has added one', has: ['own', 'theirs'], named: [], applied: ['old'], becomes: undefined },
  {
    reason: 'one replaces another, next to one that someone has added',
    has: ['own', 'old', 'theirs'],
    named: ['web'],
    applied: ['old', 'web'],
    becomes: ['own', 'theirs', 'web'],
  },
  { reason: "Fairway's own group was named", has: ['own'], named: [], applied: ['own'], becomes: undefined },
])('portChange for a port: $reason', ({ has, named, applied, becomes }) => {
  expect(portChange({ security_groups: has }, { ownID: 'own', groupIDs: named, appliedIDs: applied })).toEqual(becomes);
});
