const LIST_CALL = 'GET /loadbalancers';
/**
 * Where load balancers run, Fairway counts the floating IPs in use: it lists them after each change, and every five
 * minutes.
 */
export const USAGE_LIST = 'GET /floatingips';

/** The calls, except for list calls shared by all load balancers of a project. */
export function withoutLists(calls: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(calls).filter(([call]) => call !== LIST_CALL && call !== USAGE_LIST));
}
