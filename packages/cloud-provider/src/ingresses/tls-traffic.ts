import { type Backend, EVERY_PATH, type Route } from '../l7/route.ts';
import { byHost } from './routes.ts';

/** The TLS settings of an Ingress, in addition to its routes. */
export interface TlsSpec {
  /** Names of Secrets, without duplicates; clients without SNI get the certificate of the first usable Secret. */
  readonly secrets: readonly string[];
  /** Hosts whose requests must be encrypted. A leading `*.` matches one label; an empty host matches every host. */
  readonly hosts: readonly string[];
  readonly http: HttpHandling;
}

/**
 * How port 80 handles hosts that must be encrypted: redirects them to HTTPS, serves them, or has no listener at all.
 */
export type HttpHandling = 'redirect' | 'serve' | 'none';

/** A route on port 80. Blocked requests do not even reach the default backend. */
export type PlainRoute = Route & { readonly isBlocked?: boolean };

export interface PlainTraffic {
  readonly redirectedHosts: readonly string[];
  readonly routes: readonly PlainRoute[];
  readonly defaultBackend: Backend | undefined;
}

interface TrafficSpec {
  readonly routes: readonly Route[];
  readonly defaultBackend: Backend | undefined;
  readonly tls: TlsSpec | undefined;
}

/**
 * The routing on port 80; undefined if there is no listener. No request that must be encrypted reaches a backend
 * through it. Pure; `tls-traffic.test.ts` contains the rules as tables.
 */
export function plainTraffic({ routes, defaultBackend, tls }: TrafficSpec): PlainTraffic | undefined {
  if (tls === undefined || tls.http === 'serve') return { redirectedHosts: [], routes, defaultBackend };
  if (tls.http === 'none') return undefined;
  const open = routes.filter(({ host }) => !isEncrypted(host, tls));
  const { redirectedHosts, blockedHosts } = httpsOnlyHosts({ routes, tls });
  const blockedRoutes = blockedHosts.map((host) => ({ host, path: EVERY_PATH, backend: undefined, isBlocked: true }));
  return {
    redirectedHosts,
    routes: [...open, ...blockedRoutes].toSorted((a, b) => byHost(a.host, b.host)),
    defaultBackend: isEncrypted('', tls) ? undefined : defaultBackend,
  };
}

/** A redirect requires an exact host, so requests for wildcard hosts are rejected. */
export function httpsOnlyHosts({ routes, tls }: { readonly routes: readonly Route[]; readonly tls: TlsSpec }): {
  readonly redirectedHosts: readonly string[];
  readonly blockedHosts: readonly string[];
} {
  const all = [...new Set([...routes.map(({ host }) => host), ...tls.hosts])];
  const encrypted = all.filter((host) => host !== '' && isEncrypted(host, tls)).toSorted(byHost);
  return {
    redirectedHosts: encrypted.filter(isExactHost),
    // If all hosts are encrypted, wildcard hosts need no policies of their own.
    blockedHosts: tls.hosts.includes('') ? [] : encrypted.filter((host) => !isExactHost(host)),
  };
}

export function isEncrypted(host: string, { hosts }: Pick<TlsSpec, 'hosts'>): boolean {
  const wildcard = `*${host.slice(host.indexOf('.'))}`;
  return hosts.some((each) => each === '' || each === host || (each === wildcard && isExactHost(host)));
}

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Whether `host` is an exact host name. */
function isExactHost(host: string): boolean {
  return HOST_NAME.test(host);
}
