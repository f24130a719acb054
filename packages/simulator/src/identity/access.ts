import type { RoleName } from './records.ts';
import type { TokenClaims } from './token-claims.ts';

/** The caller and their current roles and scope. */
export interface Access {
  readonly claims: TokenClaims | undefined;
  readonly userId: string;
  readonly userName: string;
  /** Empty for a token that is not scoped to a project. */
  readonly projectId: string;
  readonly projectName: string;
  /** Roles in the scope of the token, including implied ones. */
  readonly roles: readonly RoleName[];
}

export const ANONYMOUS: Access = {
  claims: undefined,
  userId: '',
  userName: '',
  projectId: '',
  projectName: '',
  roles: [],
};

export function isAdmin(access: Access): boolean {
  return access.roles.includes('admin');
}

/** Keystone's policies give system readers the same view as administrators. */
export function isSystemReader(access: Access): boolean {
  return isAdmin(access) || (access.claims?.scope.kind === 'system' && access.roles.includes('reader'));
}

/** Whether the caller may validate other users' tokens. */
export function isService(access: Access): boolean {
  return access.roles.includes('service') || isSystemReader(access);
}

export function canWrite(access: Access): boolean {
  return access.roles.includes('member');
}

/** Whether an object of `projectId` is visible to the caller. */
export function canSee(access: Access, projectId: string): boolean {
  return isAdmin(access) || (projectId !== '' && projectId === access.projectId);
}
