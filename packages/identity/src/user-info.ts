import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { KeystoneUser } from './keystone-user.ts';

/** Begins all users and groups that Keystone vouches for. No certificate authority of Fairway's and no service account has such names. */
const PREFIX = 'keystone:';

/** The keys of k8s-keystone-auth. */
const UPSTREAM = 'alpha.kubernetes.io/identity';
export const EXTRA_ROLES = `${UPSTREAM}/roles`;
export const EXTRA_PROJECT_ID = `${UPSTREAM}/project/id`;
export const EXTRA_PROJECT_NAME = `${UPSTREAM}/project/name`;
export const EXTRA_USER_DOMAIN_ID = `${UPSTREAM}/user/domain/id`;
const EXTRA_USER_DOMAIN_NAME = `${UPSTREAM}/user/domain/name`;
/** Fairway's own, after the same pattern. */
export const EXTRA_PROJECT_DOMAIN_ID = `${UPSTREAM}/project/domain/id`;
export const EXTRA_USER_NAME = `${UPSTREAM}/user/name`;
/** The namespace of the project at Fairway: `kubectl auth whoami` tells it. */
const EXTRA_NAMESPACE = 'fairway.dev/namespace';

/** The user of a token by its id: names are chosen by administrators of domains, given anew, and unique in one domain only. */
export function keystoneUsername(userId: string): string {
  return `${PREFIX}${userId}`;
}

export function isKeystoneUsername(username: string): boolean {
  return username.startsWith(PREFIX);
}

/** Everybody with a token for the project, or those of them with a role. */
export function projectGroup(projectId: string, role?: string): string {
  return `${PREFIX}project:${projectId}${role === undefined ? '' : `:${role}`}`;
}

/** Those with a token for the whole cloud and a role there. */
export function systemGroup(role: string): string {
  return `${PREFIX}system:${role}`;
}

/**
 * The user at Fairway's own API. What decides about rights is made of ids and of roles, which administrators of the cloud name alone; names are told beside, for people who
 * read audit logs.
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
  const told = Object.entries(extra).filter(([, values]) => values.length > 0);
  return {
    username: keystoneUsername(userId),
    uid: userId,
    groups: groupsOf(user),
    extra: Object.fromEntries(told.map(([key, values]) => [key, values.map(inHeader)])),
  };
}

function groupsOf({ project, roles, isSystemScoped }: KeystoneUser): string[] {
  if (isSystemScoped) return roles.map(systemGroup);
  if (project === undefined) return [];
  return [projectGroup(project.id), ...roles.map((role) => projectGroup(project.id, role))];
}

/** A gateway passes names on in headers, which can't carry all that Keystone lets people call themselves. */
function inHeader(text: string): string {
  return text !== '' && text === text.trim() && !/\p{Cc}/u.test(text)
    ? text
    : `%${encodeURIComponent(text.toWellFormed())}`;
}
