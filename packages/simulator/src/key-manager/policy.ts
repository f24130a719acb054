import type { Access } from '../identity/access.ts';
import { forbidden } from './problem.ts';
import type { ProtectedObject } from './records.ts';

/**
 * Barbican's default policies, old and new: the roles `creator`, `observer` and `audit` belong to the policies that Zed
 * enforces, `member` and `reader` to those of later releases, and either set is sufficient. Source:
 * barbican/common/policies.
 */

/** The permissions on a secret or container, from the most to the least widely granted. */
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

interface AccessScope {
  readonly has: (...roles: readonly string[]) => boolean;
  readonly isInProject: boolean;
  readonly isCreator: boolean;
  /** Whether the object's access rules include the caller. */
  readonly isShared: boolean;
  readonly isPrivate: boolean;
}

function accessScopeOf(access: Access, object: ProtectedObject): AccessScope {
  return {
    has: (...roles) => hasRole(access, ...roles),
    isInProject: access.projectId !== '' && object.projectId === access.projectId,
    isCreator: object.creatorId === access.userId,
    isShared: object.acl?.users.includes(access.userId) === true,
    isPrivate: object.acl?.projectAccess === false,
  };
}

const LEGACY_ROLES = ['admin', 'observer', 'creator', 'audit', 'key-manager:service-admin'];
const LEGACY_ROLES_WITHOUT_AUDIT = ['admin', 'observer', 'creator'];

/** Whether the policy grants a caller a permission on a secret or container. */
export function isAllowed(
  access: Access,
  right: Right,
  object: ProtectedObject,
  kind: 'secret' | 'container' = 'secret',
): boolean {
  const accessScope = accessScopeOf(access, object);
  const { has, isInProject, isCreator, isShared, isPrivate } = accessScope;
  const isProjectAdmin = isInProject && has('admin');
  const isMemberAllowed = isInProject && has('member') && (isCreator || !isPrivate);
  const isCreatorAllowed = isInProject && has('creator') && isCreator;
  switch (right) {
    case 'get':
      return (
        isProjectAdmin ||
        isMemberAllowed ||
        isShared ||
        isCreatorAllowed ||
        (isInProject && !isPrivate && has(...LEGACY_ROLES))
      );
    case 'decrypt':
      return (
        isProjectAdmin ||
        isMemberAllowed ||
        isShared ||
        isCreatorAllowed ||
        (isInProject && !isPrivate && has(...LEGACY_ROLES_WITHOUT_AUDIT))
      );
    case 'put':
      return isProjectAdmin || isMemberAllowed || (isInProject && has('creator'));
    case 'seeAcl':
      return isProjectAdmin || isMemberAllowed || (isInProject && has(...LEGACY_ROLES_WITHOUT_AUDIT));
    case 'change':
      return isProjectAdmin || isMemberAllowed || isCreatorAllowed || (isInProject && has('creator') && !isPrivate);
    case 'delete':
      return (
        isProjectAdmin ||
        isMemberAllowed ||
        isCreatorAllowed ||
        (kind === 'secret' && isInProject && has('creator') && !isPrivate)
      );
  }
}

export function hasRole(access: Access, ...roles: readonly string[]): boolean {
  return access.roles.some((role) => roles.includes(role));
}

export function requireRight(
  access: Access,
  right: Right,
  object: ProtectedObject,
  operation: string,
  kind?: 'secret' | 'container',
): void {
  if (!isAllowed(access, right, object, kind)) throw forbidden(operation);
}

/** Requires permission to list the project's resources. */
export function requireListRole(access: Access, operation: string): void {
  if (!hasRole(access, 'member', ...LEGACY_ROLES_WITHOUT_AUDIT)) throw forbidden(operation);
}

/** Requires permission to create secrets, containers and orders. */
export function requireCreateRole(access: Access, operation: string): void {
  if (!hasRole(access, 'admin', 'creator', 'member')) throw forbidden(operation);
}

/** Requires permission to read one's own limits. */
export function requireAnyRole(access: Access, operation: string): void {
  if (!hasRole(access, 'reader', ...LEGACY_ROLES)) throw forbidden(operation);
}

/** Requires permission to read and change the limits of projects, which project administrators lack. */
export function requireServiceAdmin(access: Access, operation: string): void {
  const isSystemAdmin = access.claims?.scope.kind === 'system';
  if (!hasRole(access, 'key-manager:service-admin') && !(isSystemAdmin && hasRole(access, 'admin'))) {
    throw forbidden(operation);
  }
}
