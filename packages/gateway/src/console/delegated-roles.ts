/** What clusters need, as `fairway credential create` hands it on. */
const NEEDED: readonly string[] = ['member', 'reader', 'load-balancer_member', 'creator'];
/** Rule over more than the project. */
const RULING: ReadonlySet<string> = new Set(['admin', 'manager', 'service']);

/**
 * Of a user's roles those that he hands on to Fairway: what clusters need, or, of a cloud that has other names for it, all that rule over nothing else. Keystone hands on all roles
 * where none is named, so there are none to ask with if this is empty.
 */
export function delegatedRoles(held: readonly string[]): readonly string[] {
  const needed = NEEDED.filter((role) => held.includes(role));
  return needed.length > 0 ? needed : held.filter((role) => !RULING.has(role.toLowerCase()));
}
