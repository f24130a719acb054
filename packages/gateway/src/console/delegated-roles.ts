/** The roles that clusters need, as `fairway credential create` delegates them. */
const REQUIRED_ROLES: readonly string[] = ['member', 'reader', 'load-balancer_member', 'creator'];
/** Roles with power beyond the project. */
const ADMIN_ROLES: ReadonlySet<string> = new Set(['admin', 'manager', 'service']);

/**
 * A user's roles to delegate to Fairway: those that clusters need or, in a cloud with different role names, all that
 * have no power beyond the project. If the result is empty, no credential may be requested: Keystone delegates all
 * roles if none is named.
 */
export function delegatedRoles(projectRoles: readonly string[]): readonly string[] {
  const needed = REQUIRED_ROLES.filter((role) => projectRoles.includes(role));
  return needed.length > 0 ? needed : projectRoles.filter((role) => !ADMIN_ROLES.has(role.toLowerCase()));
}
