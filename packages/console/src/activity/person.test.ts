import { expect, it } from 'vitest';
import { peopleOf, personOf } from './person.ts';

const named = (name: string) => ({ 'alpha.kubernetes.io/identity/user/name': [name] });

it.each([
  { user: { username: 'keystone:4f2a', extra: named('alice') }, person: { kind: 'user', name: 'alice' } },
  { user: { username: 'keystone:4f2a', extra: named('%J%C3%BCrgen%0A') }, person: { kind: 'user', name: 'Jürgen\n' } },
  { user: { username: 'keystone:4f2a', extra: named('%%zz') }, person: { kind: 'user', name: '%%zz' } },
  // Of others their names are not told.
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

it('has everybody once', () => {
  const [alice, bob] = [{ username: 'a', extra: named('alice') }, { username: 'b' }];

  expect([...peopleOf([{ user: alice }, { user: bob }, { user: alice }, {}])]).toEqual([
    ['a', alice],
    ['b', bob],
  ]);
});
