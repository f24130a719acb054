import { expect, test } from 'vitest';
import { chooseSecurityGroup, type SecurityGroupFacts } from './security-groups.ts';

const own = (id: string, name: string): SecurityGroupFacts => ({ id, name, isShared: false, isFairways: false });
const GROUPS: readonly SecurityGroupFacts[] = [
  own('1', 'web'),
  own('2', 'twice'),
  own('3', 'twice'),
  { ...own('4', 'fairway-demo'), isFairways: true },
  { ...own('5', 'fairway-mine'), isFairways: true },
  own('6', 'fairway-mine'),
  { ...own('7', 'theirs'), isShared: true },
  { ...own('8', 'web'), isShared: true },
  { ...own('9', 'fairway-theirs'), isShared: true, isFairways: true },
  own('10', '1'),
];

test.each<{ name: string; reason: string; isOwnNetwork?: boolean; is: object }>([
  { name: 'web', reason: "the project's own, not one that is shared with it", is: { id: '1' } },
  { name: '1', reason: 'an id rather than a name', is: { id: '1' } },
  { name: 'fairway-mine', reason: "the tenant's own rather than Fairway's", is: { id: '6' } },
  { name: '7', reason: 'shared, by its id', is: { id: '7' } },
  { name: '7', reason: 'shared, where Nova makes ports', isOwnNetwork: true, is: { why: 'sharedInOwnNetwork' } },
  { name: 'theirs', reason: 'shared, by its name', is: { why: 'missing' } },
  { name: 'WEB', reason: 'another case', is: { why: 'missing' } },
  { name: 'db', reason: 'not there', is: { why: 'missing' } },
  {
    name: 'twice',
    reason: 'two of a name',
    is: { why: 'ambiguous', message: expect.stringContaining('2 security groups') },
  },
  { name: '3', reason: 'one of two of a name', is: { id: '3' } },
  { name: 'fairway-demo', reason: "Fairway's, by its name", is: { why: 'reserved' } },
  { name: '4', reason: "Fairway's, by its id", is: { why: 'reserved' } },
  { name: '9', reason: "Fairway's of another project", is: { why: 'reserved' } },
])('$name: $reason', ({ name, isOwnNetwork = false, is }) => {
  expect(chooseSecurityGroup(name, GROUPS, { isOwnNetwork })).toMatchObject(is);
});
