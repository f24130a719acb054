const LIST = 'GET /loadbalancers';
/** Fairway counts floating IPs as used where load balancers run: a list after each change, and one every five minutes. */
export const USAGE_LIST = 'GET /floatingips';

/** What was called besides the lists that all load balancers of a project share. */
export function withoutLists(calls: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(calls).filter(([call]) => call !== LIST && call !== USAGE_LIST));
}
