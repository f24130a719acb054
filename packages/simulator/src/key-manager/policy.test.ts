import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../identity/access.ts';
import type { RoleName } from '../identity/records.ts';
import { isAllowed, type Right } from './policy.ts';
import type { Acl } from './records.ts';

const SECRET = { id: 's', projectId: 'p', creatorId: 'alice', name: null, createdMs: 0, updatedMs: 0, acl: null };
const PROJECT_ACL: Acl = { projectAccess: true, users: [], createdMs: 0, updatedMs: 0 };
const PRIVATE: Acl = { ...PROJECT_ACL, projectAccess: false };

const RIGHTS: readonly Right[] = ['get', 'decrypt', 'put', 'seeAcl', 'change', 'delete'];
const ALL_RIGHTS = RIGHTS;
const NONE: readonly Right[] = [];

describe('rights on a secret', () => {
  it.each<[role: RoleName, user: string, project: string, acl: Acl | null, rights: readonly Right[], reason: string]>([
    ['admin', 'root', 'p', PRIVATE, ALL_RIGHTS, 'an administrator of the project'],
    ['admin', 'root', 'q', null, NONE, 'the administrator of another one'],
    ['member', 'bob', 'p', null, ALL_RIGHTS, 'the project shares what is not private'],
    ['member', 'bob', 'p', PRIVATE, NONE, 'private is for its creator'],
    ['member', 'alice', 'p', PRIVATE, ALL_RIGHTS, 'who is its creator'],
    ['member', 'alice', 'q', PRIVATE, NONE, 'but not from another project'],
    ['member', 'bob', 'q', { ...PRIVATE, users: ['bob'] }, ['get', 'decrypt'], 'rules give reading alone'],
    ['reader', 'bob', 'p', null, NONE, 'readers read no secrets'],
    ['creator', 'bob', 'p', null, ALL_RIGHTS, 'creators share, too'],
    ['creator', 'bob', 'p', PRIVATE, ['put', 'seeAcl'], 'what older policies leave open'],
    ['observer', 'bob', 'p', null, ['get', 'decrypt', 'seeAcl'], 'observers look'],
    ['audit', 'bob', 'p', null, ['get'], 'auditors see what there is, not what is in it'],
  ])('depend on the role (%s), the user (%s) and the project (%s)', (role, userId, projectId, acl, rights) => {
    const access = { ...ANONYMOUS, userId, projectId, roles: [role] };

    expect(RIGHTS.filter((right) => isAllowed(access, right, { ...SECRET, acl }))).toEqual(rights);
  });

  it('are fewer for a creator if a container belongs to another user', () => {
    const access = { ...ANONYMOUS, userId: 'bob', projectId: 'p', roles: ['creator' as const] };

    expect(isAllowed(access, 'delete', SECRET, 'container')).toBe(false);
  });
});
