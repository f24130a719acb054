import type { UserInfo } from '@fairway/apiserver/auth/user';
import { EXTRA_PROJECT_ID } from '@fairway/apiserver/auth/well-known-users';
import type { KeystoneUser } from './keystone-user.ts';

/** Prefix of all users and groups from Keystone. None of Fairway's certificate authorities and no service account uses such names. */
const PREFIX = 'keystone:';

/** Keys used by k8s-keystone-auth. */
const UPSTREAM_PREFIX = 'alpha.kubernetes.io/identity';
export const EXTRA_ROLES = `${UPSTREAM_PREFIX}/roles`;
export const EXTRA_PROJECT_NAME = `${UPSTREAM_PREFIX}/project/name`;
export const EXTRA_USER_DOMAIN_ID = `${UPSTREAM_PREFIX}/user/domain/id`;
const EXTRA_USER_DOMAIN_NAME = `${UPSTREAM_PREFIX}/user/domain/name`;
/** Fairway's own key, in the same style. */
export const EXTRA_PROJECT_DOMAIN_ID = `${UPSTREAM_PREFIX}/project/domain/id`;
export const EXTRA_USER_NAME = `${UPSTREAM_PREFIX}/user/name`;
/** The project's namespace at Fairway, as `kubectl auth whoami` reports it. */
const EXTRA_NAMESPACE = 'fairway.dev/namespace';

/**
 * The username, based on the ID. Domain administrators assign names and can reuse them, and names are unique only
 * within a domain.
 */
export function keystoneUsername(userId: string): string {
  return `${PREFIX}${userId}`;
}

export function isKeystoneUsername(username: string): boolean {
  return username.startsWith(PREFIX);
}

/** Group of all users with a token for the project, or of those with a given role. */
export function projectGroup(projectId: string, role?: string): string {
  return `${PREFIX}project:${projectId}${role === undefined ? '' : `:${role}`}`;
}

/** Group of users with a token for the whole cloud and a given role there. */
export function systemGroup(role: string): string {
  return `${PREFIX}system:${role}`;
}

/**
 * The user at Fairway's own API. Permissions depend only on IDs, and on roles, which only cloud administrators can
 * name. Names are included for readers of audit logs.
 */
export function userInfoOf(user: KeystoneUser, namespace?: string): UserInfo {
  const { userId, userName, userDomain, project, roles } = user;
  const extra = {
    [EXTRA_ROLES]: roles,
    [EXTRA_PROJECT_ID]: project === undefined ? [] : [project.id],
    [EXTRA_PROJECT_NAME]: project === undefined ? [] : [project.name],
    [EXTRA_PROJECT_DOMAIN_ID]: project === undefined ? [] : [project.domain.id],
    [EXTRA_USER_NAME]: [userName],
    [EXTRA_USER_DOMAIN_ID]: [userDomain.id],
    [EXTRA_USER_DOMAIN_NAME]: [userDomain.name],
    [EXTRA_NAMESPACE]: namespace === undefined ? [] : [namespace],
  };
  const nonEmptyExtra = Object.entries(extra).filter(([, values]) => values.length > 0);
  return {
    username: keystoneUsername(userId),
    uid: userId,
    groups: groupsOf(user),
    extra: Object.fromEntries(nonEmptyExtra.map(([key, values]) => [key, values.map(headerValue)])),
  };
}

/**
 * A user in a message: `demo (keystone:8f2c…)`, because names identify people, and IDs distinguish users with the same
 * name. For other users, the username.
 */
export function describeUser({ username, extra }: UserInfo): string {
  const [name] = isKeystoneUsername(username) ? (extra?.[EXTRA_USER_NAME] ?? []) : [];
  return name === undefined ? username : `${name} (${username})`;
}

function groupsOf({ project, roles, isSystemScoped }: KeystoneUser): string[] {
  if (isSystemScoped) return roles.map(systemGroup);
  if (project === undefined) return [];
  return [projectGroup(project.id), ...roles.map((role) => projectGroup(project.id, role))];
}

/** A gateway passes names on in headers, which can't carry every name that Keystone allows. */
function headerValue(text: string): string {
  return text !== '' && text === text.trim() && !/\p{Cc}/u.test(text)
    ? text
    : `%${encodeURIComponent(text.toWellFormed())}`;
}
