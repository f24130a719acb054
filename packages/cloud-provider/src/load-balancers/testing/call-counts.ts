const LIST_CALL = 'GET /loadbalancers';
/**
 * Fairway counts floating IPs as used where load balancers run: one list after each change, and one every five minutes.
 */
export const USAGE_LIST = 'GET /floatingips';

/** The calls, except for lists that all load balancers of a project share. */
export function withoutLists(calls: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(calls).filter(([call]) => call !== LIST_CALL && call !== USAGE_LIST));
}
