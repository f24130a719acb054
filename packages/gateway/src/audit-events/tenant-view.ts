import {
  type AuditEvent,
  type AuditUser,
  DRY_RUN_ANNOTATION,
  TRUNCATED_ANNOTATION,
} from '@fairway/apiserver/audit/audit-event';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';

/** Groups that do not imply a shared team. */
const SYSTEM_GROUP_PATTERN = /^system:/;
const SHOWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'authorization.k8s.io/decision',
  TRUNCATED_ANNOTATION,
  DRY_RUN_ANNOTATION,
]);

/**
 * An event as `reader` sees it. Readers see everything about themselves, users who share a group with them, service
 * accounts in the namespace and unauthenticated clients. For operators, Fairway itself and other tenants, they see the
 * name, request and result, but neither the source address nor the role.
 */
export function tenantView(event: AuditEvent, namespace: string, reader: UserInfo): AuditEvent {
  const { user } = event;
  return user.username === undefined || isSameTeam(user, namespace, reader) ? event : withoutOrigin(event);
}

/**
 * Whether a user, such as an operator, may read these events in all namespaces. Such users have access to the log, so
 * they see every source address. No role within a namespace grants this.
 */
export async function readsAllNamespaces(
  authorizer: Authorizer,
  user: UserInfo,
  { group, version, plural: resource }: { readonly group: string; readonly version: string; readonly plural: string },
): Promise<boolean> {
  const attributes = { user, verb: 'list', group, version, resource, subresource: '', namespace: '', name: '' };
  return (await authorizer.authorize(attributes)).allowed;
}

/** Keeps user, request and result; removes the source address and the role. */
export function withoutOrigin(event: AuditEvent): AuditEvent {
  const { user, impersonatedUser } = event;
  const { sourceIPs: _, userAgent: __, annotations = {}, ...rest } = event;
  const shown = Object.entries(annotations).filter(([key]) => SHOWN_ANNOTATIONS.has(key));
  return {
    ...rest,
    user: { username: user.username ?? '' },
    ...(impersonatedUser && { impersonatedUser: { username: impersonatedUser.username ?? '' } }),
    ...(shown.length > 0 && { annotations: Object.fromEntries(shown) }),
  };
}

function isSameTeam({ username = '', groups = [] }: AuditUser, namespace: string, reader: UserInfo): boolean {
  if (username === reader.username || username.startsWith(`system:serviceaccount:${namespace}:`)) return true;
  return groups.some((group) => !SYSTEM_GROUP_PATTERN.test(group) && reader.groups.includes(group));
}
