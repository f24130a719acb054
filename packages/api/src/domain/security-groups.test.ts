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
  { name: 'web', reason: 'the group of the project rather than a shared one', is: { id: '1' } },
  { name: '1', reason: 'an ID rather than a name', is: { id: '1' } },
  { name: 'fairway-mine', reason: 'the group of the tenant rather than a group of Fairway', is: { id: '6' } },
  { name: '7', reason: 'a shared group by ID', is: { id: '7' } },
  {
    name: '7',
    reason: 'a shared group where Nova creates ports',
    isOwnNetwork: true,
    is: { why: 'sharedInOwnNetwork' },
  },
  { name: 'theirs', reason: 'a shared group by name', is: { why: 'missing' } },
  { name: 'WEB', reason: 'the name of a group in another case', is: { why: 'missing' } },
  { name: 'db', reason: 'a missing group', is: { why: 'missing' } },
  {
    name: 'twice',
    reason: 'two groups of the same name',
    is: { why: 'ambiguous', message: expect.stringContaining('2 security groups') },
  },
  { name: '3', reason: 'one of two groups of the same name', is: { id: '3' } },
  { name: 'fairway-demo', reason: 'a group of Fairway by name', is: { why: 'reserved' } },
  { name: '4', reason: 'a group of Fairway by ID', is: { why: 'reserved' } },
  { name: '9', reason: 'a group of Fairway in another project', is: { why: 'reserved' } },
])('$name: $reason', ({ name, isOwnNetwork = false, is }) => {
  expect(chooseSecurityGroup(name, GROUPS, { isOwnNetwork })).toMatchObject(is);
});
