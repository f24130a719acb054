import type { KeystoneUser } from '../keystone-user.ts';

/** Alice, a member of project demo in the default domain, unless overridden. */
export function newKeystoneUser(user: Partial<KeystoneUser> = {}): KeystoneUser {
  const domain = { id: 'default', name: 'Default' };
  return {
    userId: 'u1',
    userName: 'alice',
    userDomain: domain,
    project: { id: 'p1', name: 'demo', domain },
    roles: ['member'],
    groupIds: [],
    isSystemScoped: false,
    isAdminProject: false,
    methods: ['password'],
    applicationCredentialId: undefined,
    trustId: undefined,
    auditIds: [],
    expiresAtMs: 0,
    ...user,
  };
}
