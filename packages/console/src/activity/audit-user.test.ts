import { expect, it } from 'vitest';
import { peopleOf, personOf } from './audit-user.ts';

const userExtra = (name: string) => ({ 'alpha.kubernetes.io/identity/user/name': [name] });

it.each([
  { user: { username: 'keystone:4f2a', extra: userExtra('alice') }, person: { kind: 'user', name: 'alice' } },
  {
    user: { username: 'keystone:4f2a', extra: userExtra('%J%C3%BCrgen%0A') },
    person: { kind: 'user', name: 'Jürgen\n' },
  },
  { user: { username: 'keystone:4f2a', extra: userExtra('%%zz') }, person: { kind: 'user', name: '%%zz' } },
  // The names of other users are unknown.
  { user: { username: 'keystone:4f2a' }, person: { kind: 'user', name: 'keystone:4f2a' } },
  { user: { username: 'system:fairway:controllers' }, person: { kind: 'fairway' } },
  { user: { username: 'system:serviceaccount:team:ci' }, person: { kind: 'serviceAccount', name: 'ci' } },
  { user: { username: 'system:node:shop-1' }, person: { kind: 'node', name: 'shop-1' } },
  { user: { username: 'system:kube-scheduler' }, person: { kind: 'user', name: 'system:kube-scheduler' } },
  { user: { username: 'system:anonymous' }, person: { kind: 'stranger' } },
  { user: {}, person: { kind: 'stranger' } },
])('$user.username is $person', ({ user, person }) => {
  expect(personOf(user)).toEqual(person);
});

it('lists each user once', () => {
  const [alice, bob] = [{ username: 'a', extra: userExtra('alice') }, { username: 'b' }];

  expect([...peopleOf([{ user: alice }, { user: bob }, { user: alice }, {}])]).toEqual([
    ['a', alice],
    ['b', bob],
  ]);
});
