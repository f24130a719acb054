import { expect, it } from 'vitest';
import type { KeystoneUser } from './keystone-user.ts';
import { newKeystoneUser } from './testing/keystone-user.ts';
import { describeUser, userInfoOf } from './user-info.ts';

const ALICE = newKeystoneUser({
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
])('derives a user’s groups $who from IDs and roles', ({ user, groups }) => {
  expect(userInfoOf({ ...ALICE, ...user })).toMatchObject({ username: 'keystone:u1', uid: 'u1', groups });
});

it.each([
  { name: 'alice', reported: 'alice' },
  { name: 'Ålice B', reported: 'Ålice B' },
  { name: ' alice', reported: '%%20alice' },
  { name: 'a\nb', reported: '%a%0Ab' },
  { name: '\ud800\n', reported: '%%EF%BF%BD%0A' },
  { name: '', reported: '%' },
])('sends the name $name as $reported, valid in a header and unambiguous', ({ name, reported }) => {
  expect(userInfoOf({ ...ALICE, userName: name }).extra?.['alpha.kubernetes.io/identity/user/name']).toEqual([
    reported,
  ]);
});

it.each([
  { user: userInfoOf({ ...ALICE, userName: 'alice' }), words: `alice (keystone:${ALICE.userId})` },
  { user: { username: 'fairway-admin', groups: [] }, words: 'fairway-admin' },
  {
    user: { username: 'mallory', groups: [], extra: { 'alpha.kubernetes.io/identity/user/name': ['alice'] } },
    words: 'mallory',
  },
])('describes a user as $words', ({ user, words }) => {
  expect(describeUser(user)).toBe(words);
});
