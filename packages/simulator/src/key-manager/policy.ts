import type { Access } from '../identity/access.ts';
import { forbidden } from './problem.ts';
import type { Guarded } from './records.ts';

/**
 * Barbican's default policies, old and new: the roles `creator`, `observer` and `audit` are those of the policies that Zed
 * enforces, `member` and `reader` those of later releases, and either set is sufficient. Source: barbican/common/policies.
 */

/** The rights on a secret or container, from the widest circle to the narrowest. */
export type Right =
  /** Read metadata. */
  | 'get'
  /** Read the payload. */
  | 'decrypt'
  /** Store the payload. */
  | 'put'
  | 'seeAcl'
  /** Change access rules and metadata, and the secrets of a container. */
  | 'change'
  | 'delete';

interface Circle {
  readonly has: (...roles: readonly string[]) => boolean;
  readonly isProjects: boolean;
  readonly isCreators: boolean;
  /** Whether its access rules name the caller. */
  readonly isShared: boolean;
  readonly isPrivate: boolean;
}

function circleOf(access: Access, object: Guarded): Circle {
  return {
    has: (...roles) => hasRole(access, ...roles),
    isProjects: access.projectId !== '' && object.projectId === access.projectId,
    isCreators: object.creatorId === access.userId,
    isShared: object.acl?.users.includes(access.userId) === true,
    isPrivate: object.acl?.projectAccess === false,
  };
}

const OLD_ROLES = ['admin', 'observer', 'creator', 'audit', 'key-manager:service-admin'];
const OLD_ROLES_BUT_AUDIT = ['admin', 'observer', 'creator'];

/** Whether the policy grants a right on a secret or container to a caller. */
export function may(access: Access, right: Right, object: Guarded, kind: 'secret' | 'container' = 'secret'): boolean {
  const circle = circleOf(access, object);
  const { has, isProjects, isCreators, isShared, isPrivate } = circle;
  const isAdmins = isProjects && has('admin');
  const isOfMembers = isProjects && has('member') && (isCreators || !isPrivate);
  const isOfCreator = isProjects && has('creator') && isCreators;
  switch (right) {
    case 'get':
      return isAdmins || isOfMembers || isShared || isOfCreator || (isProjects && !isPrivate && has(...OLD_ROLES));
    case 'decrypt':
      return (
        isAdmins || isOfMembers || isShared || isOfCreator || (isProjects && !isPrivate && has(...OLD_ROLES_BUT_AUDIT))
      );
    case 'put':
      return isAdmins || isOfMembers || (isProjects && has('creator'));
    case 'seeAcl':
      return isAdmins || isOfMembers || (isProjects && has(...OLD_ROLES_BUT_AUDIT));
    case 'change':
      return isAdmins || isOfMembers || isOfCreator || (isProjects && has('creator') && !isPrivate);
    case 'delete':
      return (
        isAdmins || isOfMembers || isOfCreator || (kind === 'secret' && isProjects && has('creator') && !isPrivate)
      );
  }
}

export function hasRole(access: Access, ...roles: readonly string[]): boolean {
  return access.roles.some((role) => roles.includes(role));
}

export function requireRight(
  access: Access,
  right: Right,
  object: Guarded,
  operation: string,
  kind?: 'secret' | 'container',
): void {
  if (!may(access, right, object, kind)) throw forbidden(operation);
}

/** List the project's resources. */
export function requireLister(access: Access, operation: string): void {
  if (!hasRole(access, 'member', ...OLD_ROLES_BUT_AUDIT)) throw forbidden(operation);
}

/** Create secrets, containers and orders. */
export function requireMaker(access: Access, operation: string): void {
  if (!hasRole(access, 'admin', 'creator', 'member')) throw forbidden(operation);
}

/** Read one's own limits. */
export function requireAnyRole(access: Access, operation: string): void {
  if (!hasRole(access, 'reader', ...OLD_ROLES)) throw forbidden(operation);
}

/** Read and change the limits of projects, which project administrators may not. */
export function requireServiceAdmin(access: Access, operation: string): void {
  const isOfSystem = access.claims?.scope.kind === 'system';
  if (!hasRole(access, 'key-manager:service-admin') && !(isOfSystem && hasRole(access, 'admin'))) {
    throw forbidden(operation);
  }
}
