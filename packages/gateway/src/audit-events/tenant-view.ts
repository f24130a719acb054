import {
  type AuditEvent,
  type AuditUser,
  DRY_RUN_ANNOTATION,
  TRUNCATED_ANNOTATION,
} from '@fairway/apiserver/audit/audit-event';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';

/** Groups that say nothing of who belongs together. */
const COMMON_GROUP = /^system:/;
const SHOWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'authorization.k8s.io/decision',
  TRUNCATED_ANNOTATION,
  DRY_RUN_ANNOTATION,
]);

/**
 * An event as `reader` sees it. Of himself, of those with whom he shares a group, of service accounts of the namespace and of strangers he sees everything; of operators, of
 * Fairway itself and of other tenants their names, what they asked for and what became of it: not where from, nor by which role.
 */
export function tenantView(event: AuditEvent, namespace: string, reader: UserInfo): AuditEvent {
  const { user } = event;
  return user.username === undefined || isNear(user, namespace, reader) ? event : withoutOrigin(event);
}

/**
 * Whether somebody may read such events of all namespaces, as operators may: where anybody came from is theirs to see, as they have the log. No role within a namespace gives it.
 */
export async function readsAllNamespaces(
  authorizer: Authorizer,
  user: UserInfo,
  { group, version, plural: resource }: { readonly group: string; readonly version: string; readonly plural: string },
): Promise<boolean> {
  const asked = { user, verb: 'list', group, version, resource, subresource: '', namespace: '', name: '' };
  return (await authorizer.authorize(asked)).allowed;
}

/** Who asked for what, and what became of it: not where from, nor by which role. */
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

function isNear({ username = '', groups = [] }: AuditUser, namespace: string, reader: UserInfo): boolean {
  if (username === reader.username || username.startsWith(`system:serviceaccount:${namespace}:`)) return true;
  return groups.some((group) => !COMMON_GROUP.test(group) && reader.groups.includes(group));
}
