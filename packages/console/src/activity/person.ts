import type { AuditEvent, AuditUser } from './audit-event.ts';

/** Who somebody is, as far as names tell. */
export type Person =
  | { readonly kind: 'user' | 'node' | 'serviceAccount'; readonly name: string }
  /** Fairway itself, and nobody who was recognised. */
  | { readonly kind: 'fairway' | 'stranger' };

/** As the audit log has Fairway's controllers. */
export const FAIRWAY = 'system:fairway:controllers';
const USER_NAME = 'alpha.kubernetes.io/identity/user/name';

export function personOf({ username = '', extra }: AuditUser = {}): Person {
  if (username === '' || username === 'system:anonymous') return { kind: 'stranger' };
  if (username.startsWith('system:fairway:')) return { kind: 'fairway' };
  const [, serviceAccount] = /^system:serviceaccount:[^:]+:(.+)$/.exec(username) ?? [];
  if (serviceAccount !== undefined) return { kind: 'serviceAccount', name: serviceAccount };
  if (username.startsWith('system:node:')) return { kind: 'node', name: username.slice('system:node:'.length) };
  return { kind: 'user', name: nameOf(extra?.[USER_NAME]?.[0]) ?? username };
}

/** Fairway's own word for names that no header can carry: a percent sign, and the rest encoded. */
function nameOf(told: string | undefined): string | undefined {
  if (told === undefined || !told.startsWith('%')) return told || undefined;
  try {
    return decodeURIComponent(told.slice(1));
  } catch {
    return told;
  }
}

/** Everybody who has done something, each once by username, with the names that are known of them. */
export function peopleOf(events: readonly Pick<AuditEvent, 'user'>[]): ReadonlyMap<string, AuditUser> {
  const people = new Map<string, AuditUser>();
  for (const { user } of events) {
    if (user?.username && !people.has(user.username)) people.set(user.username, user);
  }
  return people;
}
