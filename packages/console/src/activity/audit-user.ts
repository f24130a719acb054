import type { AuditEvent, AuditUser } from './audit-event.ts';

/** A user, classified by username. */
export type Person =
  | { readonly kind: 'user' | 'node' | 'serviceAccount'; readonly name: string }
  /** Fairway itself, and an unauthenticated client. */
  | { readonly kind: 'fairway' | 'stranger' };

/** The username of Fairway's controllers in the audit log. */
export const FAIRWAY_USER = 'system:fairway:controllers';
const USER_NAME = 'alpha.kubernetes.io/identity/user/name';

export function personOf({ username = '', extra }: AuditUser = {}): Person {
  if (username === '' || username === 'system:anonymous') return { kind: 'stranger' };
  if (username.startsWith('system:fairway:')) return { kind: 'fairway' };
  const [, serviceAccount] = /^system:serviceaccount:[^:]+:(.+)$/.exec(username) ?? [];
  if (serviceAccount !== undefined) return { kind: 'serviceAccount', name: serviceAccount };
  if (username.startsWith('system:node:')) return { kind: 'node', name: username.slice('system:node:'.length) };
  return { kind: 'user', name: nameOf(extra?.[USER_NAME]?.[0]) ?? username };
}

/** Fairway's encoding of names that a header cannot carry: a percent sign, then the encoded name. */
function nameOf(rawName: string | undefined): string | undefined {
  if (rawName === undefined || !rawName.startsWith('%')) return rawName || undefined;
  try {
    return decodeURIComponent(rawName.slice(1));
  } catch {
    return rawName;
  }
}

/** All users in the events, once per username, with their known names. */
export function peopleOf(events: readonly Pick<AuditEvent, 'user'>[]): ReadonlyMap<string, AuditUser> {
  const people = new Map<string, AuditUser>();
  for (const { user } of events) {
    if (user?.username && !people.has(user.username)) people.set(user.username, user);
  }
  return people;
}
