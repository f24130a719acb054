/*
 * Hostnames of the Gateway API. `*.` first stands for any labels, one or more; empty is every host. Pure; `hostnames.test.ts` has the rules as tables.
 */

export function isWildcard(hostname: string): boolean {
  return hostname.startsWith('*.');
}

/** Whether every host of `special` is one of `general`. */
export function coversHost(general: string, special: string): boolean {
  if (general === '' || general === special) return true;
  if (special === '' || !isWildcard(general)) return false;
  const suffix = general.slice(1);
  return (isWildcard(special) ? special.slice(1) : special).endsWith(suffix);
}

export function sharesHosts(a: string, b: string): boolean {
  return coversHost(a, b) || coversHost(b, a);
}

/** The hosts that a route is for at a listener; none: they have nothing in common. A route without hostnames is for all that the listener has. */
export function commonHosts(listener: string, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener];
  const common = route.flatMap((host) => {
    if (coversHost(listener, host)) return [host];
    return coversHost(host, listener) ? [listener] : [];
  });
  return [...new Set(common)];
}

/** Names before wildcards, longer ones first, every host last. */
export function byHostPrecedence(a: string, b: string): number {
  return rank(a) - rank(b) || b.length - a.length || (a < b ? -1 : a > b ? 1 : 0);
}

function rank(hostname: string): number {
  if (hostname === '') return 2;
  return isWildcard(hostname) ? 1 : 0;
}
