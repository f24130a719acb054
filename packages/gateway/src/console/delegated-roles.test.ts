import { expect, it } from 'vitest';
import { delegatedRoles } from './delegated-roles.ts';

it.each([
  {
    held: ['admin', 'member', 'reader', 'heat_stack_owner'],
    roles: ['member', 'reader'],
    reason: 'the roles that clusters need',
  },
  { held: ['compute_operator', 'Admin'], roles: ['compute_operator'], reason: 'a cloud with its own role names' },
  { held: ['admin'], roles: [], reason: 'without a role, Keystone would delegate admin' },
  { held: [], roles: [], reason: 'no roles' },
])('$held become $roles, $reason', ({ held, roles }) => {
  expect(delegatedRoles(held)).toEqual(roles);
});
