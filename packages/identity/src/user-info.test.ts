import { expect, it } from 'vitest';
import type { KeystoneUser } from './keystone-user.ts';
import { aKeystoneUser } from './testing/keystone-user.ts';
import { userInfoOf, userInWords } from './user-info.ts';

const ALICE = aKeystoneUser({
  project: { id: 'p1', name: 'demo', domain: { id: 'd1', name: 'Work' } },
  roles: ['member', 'key-manager:service-admin'],
  groupIds: ['g1'],
});

it.each<{ who: string; user: Partial<KeystoneUser>; groups: readonly string[] }>([
  {
    who: 'of a project',
    user: {},
    groups: ['keystone:project:p1', 'keystone:project:p1:member', 'keystone:project:p1:key-manager:service-admin'],
  },
  { who: 'without a project', user: { project: undefined, roles: [] }, groups: [] },
  { who: 'of a domain', user: { project: undefined, roles: ['admin'] }, groups: [] },
  {
    who: 'of the whole cloud',
    user: { project: undefined, roles: ['admin', 'reader'], isSystemScoped: true },
    groups: ['keystone:system:admin', 'keystone:system:reader'],
  },
])('a user $who is in the groups derived from ids and roles', ({ user, groups }) => {
  expect(userInfoOf({ ...ALICE, ...user })).toMatchObject({ username: 'keystone:u1', uid: 'u1', groups });
});

it.each([
  { name: 'alice', told: 'alice' },
  { name: 'Ålice B', told: 'Ålice B' },
  { name: ' alice', told: '%%20alice' },
  { name: 'a\nb', told: '%a%0Ab' },
  { name: '\ud800\n', told: '%%EF%BF%BD%0A' },
  { name: '', told: '%' },
])('the name $name is sent as $told: in a header, and never as another', ({ name, told }) => {
  expect(userInfoOf({ ...ALICE, userName: name }).extra?.['alpha.kubernetes.io/identity/user/name']).toEqual([told]);
});

it.each([
  { user: userInfoOf({ ...ALICE, userName: 'alice' }), words: `alice (keystone:${ALICE.userId})` },
  { user: { username: 'fairway-admin', groups: [] }, words: 'fairway-admin' },
  {
    user: { username: 'mallory', groups: [], extra: { 'alpha.kubernetes.io/identity/user/name': ['alice'] } },
    words: 'mallory',
  },
])('in a message a user is $words', ({ user, words }) => {
  expect(userInWords(user)).toBe(words);
});
