import { type Backend, EVERY_PATH, type Route } from '../l7/route.ts';
import { byHost } from './routes.ts';

/** What an Ingress with `spec.tls` asks for beside its routes. */
export interface TlsWishes {
  /** Names of Secrets, each once; the first that can be used is for clients that name no host. */
  readonly secrets: readonly string[];
  /** Whose requests are to be encrypted; `*.` first for any one label; empty for every host. */
  readonly hosts: readonly string[];
  readonly http: HttpHandling;
}

/** What becomes of requests on port 80 for hosts that are to be encrypted: they are sent to HTTPS, or served as they are, or nothing listens there, for no host. */
export type HttpHandling = 'redirect' | 'serve' | 'none';

/** A route of port 80; barred: not even the default backend hears of such requests. */
export type PlainRoute = Route & { readonly isBarred?: boolean };

export interface PlainTraffic {
  readonly redirectedHosts: readonly string[];
  readonly routes: readonly PlainRoute[];
  readonly defaultBackend: Backend | undefined;
}

interface Wishes {
  readonly routes: readonly Route[];
  readonly defaultBackend: Backend | undefined;
  readonly tls: TlsWishes | undefined;
}

/** What port 80 does; undefined if nothing listens there. Nothing that is to be encrypted reaches a backend through it. Pure; `tls-traffic.test.ts` has the rules as tables. */
export function plainTraffic({ routes, defaultBackend, tls }: Wishes): PlainTraffic | undefined {
  if (tls === undefined || tls.http === 'serve') return { redirectedHosts: [], routes, defaultBackend };
  if (tls.http === 'none') return undefined;
  const open = routes.filter(({ host }) => !isEncrypted(host, tls));
  const { redirectedHosts, barredHosts } = closedHosts({ routes, tls });
  const barred = barredHosts.map((host) => ({ host, path: EVERY_PATH, backend: undefined, isBarred: true }));
  return {
    redirectedHosts,
    routes: [...open, ...barred].toSorted((a, b) => byHost(a.host, b.host)),
    defaultBackend: isEncrypted('', tls) ? undefined : defaultBackend,
  };
}

/** A redirect names its host: of hosts that only a wildcard tells, the requests are answered by nobody. */
export function closedHosts({ routes, tls }: { readonly routes: readonly Route[]; readonly tls: TlsWishes }): {
  readonly redirectedHosts: readonly string[];
  readonly barredHosts: readonly string[];
} {
  const all = [...new Set([...routes.map(({ host }) => host), ...tls.hosts])];
  const encrypted = all.filter((host) => host !== '' && isEncrypted(host, tls)).toSorted(byHost);
  return {
    redirectedHosts: encrypted.filter(isNamed),
    // Where everything is encrypted, there is nothing to tell them from.
    barredHosts: tls.hosts.includes('') ? [] : encrypted.filter((host) => !isNamed(host)),
  };
}

export function isEncrypted(host: string, { hosts }: Pick<TlsWishes, 'hosts'>): boolean {
  const wildcard = `*${host.slice(host.indexOf('.'))}`;
  return hosts.some((each) => each === '' || each === host || (each === wildcard && isNamed(host)));
}

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Whether it is one host's whole name. */
function isNamed(host: string): boolean {
  return HOST_NAME.test(host);
}
