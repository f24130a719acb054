import { expect, it } from 'vitest';
import { delegatedRoles } from './delegated-roles.ts';

it.each([
  {
    held: ['admin', 'member', 'reader', 'heat_stack_owner'],
    roles: ['member', 'reader'],
    reason: 'what clusters need',
  },
  { held: ['compute_operator', 'Admin'], roles: ['compute_operator'], reason: 'a cloud with names of its own' },
  { held: ['admin'], roles: [], reason: 'asked for none, Keystone would hand on admin' },
  { held: [], roles: [], reason: 'no roles' },
])('of $held: $roles, $reason', ({ held, roles }) => {
  expect(delegatedRoles(held)).toEqual(roles);
});
