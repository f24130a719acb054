/*
 * Hostnames of the Gateway API. A leading `*.` matches one or more labels; an empty hostname matches every host. Pure;
 * `hostnames.test.ts` contains the rules as tables.
 */

export function isWildcard(hostname: string): boolean {
  return hostname.startsWith('*.');
}

/** Whether `broader` covers every host of `narrower`. */
export function coversHost(broader: string, narrower: string): boolean {
  if (broader === '' || broader === narrower) return true;
  if (narrower === '' || !isWildcard(broader)) return false;
  const suffix = broader.slice(1);
  return (isWildcard(narrower) ? narrower.slice(1) : narrower).endsWith(suffix);
}

export function sharesHosts(a: string, b: string): boolean {
  return coversHost(a, b) || coversHost(b, a);
}

/**
 * The hosts that a route serves on a listener; empty if they do not intersect. A route without hostnames serves all of
 * the listener's hosts.
 */
export function commonHosts(listener: string, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener];
  const common = route.flatMap((host) => {
    if (coversHost(listener, host)) return [host];
    return coversHost(host, listener) ? [listener] : [];
  });
  return [...new Set(common)];
}

/** Sorts exact names before wildcards, longer names first, and the empty hostname last. */
export function byHostPrecedence(a: string, b: string): number {
  return rank(a) - rank(b) || b.length - a.length || (a < b ? -1 : a > b ? 1 : 0);
}

function rank(hostname: string): number {
  if (hostname === '') return 2;
  return isWildcard(hostname) ? 1 : 0;
}
