/** The only domain of the cloud. */
export const DEFAULT_DOMAIN = { id: 'default', name: 'Default' } as const;

const ROLE_CHAIN = ['admin', 'member', 'reader'] as const;

/**
 * The role of OpenStack services, which validate tokens, and the roles of Barbican's older policies; these roles imply
 * no other roles.
 */
const OTHER_ROLES = ['service', 'creator', 'observer', 'audit', 'key-manager:service-admin'] as const;

export type RoleName = (typeof ROLE_CHAIN)[number] | (typeof OTHER_ROLES)[number];

export const ROLES: readonly { readonly id: string; readonly name: RoleName }[] = [
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10001', name: 'admin' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10002', name: 'member' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10003', name: 'reader' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10004', name: 'creator' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10005', name: 'observer' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10006', name: 'audit' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10007', name: 'key-manager:service-admin' },
  { id: '0a7f2c1d9b8e4f6aa1c3e5d7f9b10008', name: 'service' },
];

/** Roles with their implied roles: admin implies member, which implies reader. */
export function withImpliedRoles(roles: readonly RoleName[]): RoleName[] {
  const strongestIndex = ROLE_CHAIN.findIndex((name) => roles.includes(name));
  const implied: readonly RoleName[] = strongestIndex === -1 ? [] : ROLE_CHAIN.slice(strongestIndex);
  return [...implied, ...OTHER_ROLES.filter((name) => roles.includes(name))];
}

/** Values that are stored with the state: the token signing key, the users' password and the start count. */
export interface Secret {
  readonly id: 'token-key' | 'password' | 'starts';
  readonly value: string;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly enabled: boolean;
  readonly description: string;
  readonly email?: string;
  readonly defaultProjectId?: string;
  readonly options?: UserOptions;
}

/** Options of a user in Keystone's format. */
export interface UserOptions {
  /** Sets of methods. A user must use all methods of at least one set. */
  readonly multi_factor_auth_rules?: readonly (readonly string[])[] | undefined;
  readonly multi_factor_auth_enabled?: boolean | undefined;
}

/** A secret that Keystone stores for a user; secrets of type totp are in base32. */
export interface UserCredential {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly type: string;
  readonly blob: string;
}

export type AssignmentTarget =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'domain' }
  | { readonly kind: 'system' };

export interface RoleAssignment {
  readonly id: string;
  readonly userId: string;
  readonly role: RoleName;
  readonly target: AssignmentTarget;
}

export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly userId: string;
  readonly projectId: string;
  readonly roles: readonly RoleName[];
  readonly secretHash: string;
  readonly unrestricted: boolean;
  /** In epoch milliseconds; null if the credential never expires. */
  readonly expiresMs: number | null;
}

export interface Trust {
  readonly id: string;
  readonly trustorUserId: string;
  readonly trusteeUserId: string;
  readonly projectId: string;
  readonly roles: readonly RoleName[];
  readonly impersonation: boolean;
  readonly expiresMs: number | null;
  readonly remainingUses: number | null;
  readonly allowRedelegation: boolean;
  readonly deletedMs: number | null;
}

/** Revokes tokens that were issued up to this time and match all fields that are set. */
export interface Revocation {
  readonly id: string;
  readonly atMs: number;
  /** Set if only one token is revoked. */
  readonly auditId?: string;
  readonly userId?: string;
  readonly projectId?: string;
  readonly trustId?: string;
}

/** An external service in the catalog. */
export interface AnnouncedService {
  readonly type: string;
  readonly name: string;
  readonly url: string;
}
