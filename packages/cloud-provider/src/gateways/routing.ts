import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import { EMPTY_POOL } from '../l7/desired-routing.ts';
import { type Attachment, type AttachmentContext, attachmentsOf, overLimitAttachmentsOf } from './attachment.ts';
import { type BackendContext, resolveBackends, type WeightedBackend } from './backend-refs.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import { byHostPrecedence, coversHost, sharesHosts } from './hostnames.ts';
import type { HttpRoute } from './kinds.ts';
import { isAccepted, isHttps } from './listeners.ts';
import { poolNameOf } from './pool-name.ts';
import { type Entry, orderRedirects } from './redirect-precedence.ts';
import { byPathAndHeaders } from './route-match.ts';
import { type ParsedRule, parseRule } from './rule.ts';
import type { Listener } from './schemas.ts';

/** Limit on routes per Gateway, oldest first. */
const MAX_ROUTES = 500;
/** Same limit as for Ingresses: each entry is a policy, evaluated in order for every request. */
const MAX_ENTRIES = 200;
/** Limit on backends in all pools; each pool has all nodes as members. */
const MAX_BACKENDS = 100;

export interface RoutingContext extends AttachmentContext, Omit<BackendContext, 'namespace'> {}

/** The status of a route for its references to the Gateway. */
export interface RouteOutcome {
  readonly route: HttpRoute;
  readonly attachments: readonly Attachment[];
  /** Why the route is not served at all. */
  readonly refused: ReasonAndMessage | undefined;
  /** The rules that are not served, if other rules of the route are. */
  readonly dropped: readonly string[];
  /** Problems with its backends. */
  readonly unresolved: readonly ReasonAndMessage[];
}

export interface RoutedPolicy {
  readonly name: string;
  readonly rules: readonly L7RuleFields[];
  readonly target: Entry['target'];
}

export interface RoutedPort {
  readonly isHttps: boolean;
  /** In order of precedence. */
  readonly policies: readonly RoutedPolicy[];
}

/** The routing of a Gateway's load balancer. */
export interface Routing {
  readonly ports: ReadonlyMap<number, RoutedPort>;
  /** By pool name. */
  readonly pools: ReadonlyMap<string, readonly WeightedBackend[]>;
  readonly routes: readonly RouteOutcome[];
  /** By listener name. */
  readonly attached: ReadonlyMap<string, number>;
}

interface RouteEntry extends Entry {
  readonly listener: Listener;
  readonly route: HttpRoute;
  /** Index of the rule. */
  readonly index: number;
}

/**
 * Computes the routing, and which parts of the routes are not served. Pure; `routing.test.ts` contains the rules as
 * tables.
 */
export function routingOf(routes: readonly HttpRoute[], context: RoutingContext): Routing {
  const budget = { entries: MAX_ENTRIES, backends: MAX_BACKENDS };
  const pools = new Map<string, readonly WeightedBackend[]>();
  const entries: RouteEntry[] = [];
  const attached = new Map<string, number>();
  const outcomes: RouteOutcome[] = [];
  for (const [index, route] of routes.toSorted(byAge).entries()) {
    const isWithinLimit = index < MAX_ROUTES;
    const attachments = isWithinLimit ? attachmentsOf(route, context) : overLimitAttachmentsOf(route, context);
    for (const name of new Set(attachments.flatMap(({ at }) => at.map(({ listener }) => listener.listener.name)))) {
      attached.set(name, (attached.get(name) ?? 0) + 1);
    }
    const served = isWithinLimit
      ? serveRoute(route, attachments, context, budget)
      : limitExceeded(`${MAX_ROUTES} HTTPRoutes`);
    const result = fitsBudget(served, budget, pools) ? served : tooManyEntries();
    for (const [name, backends] of result.pools) pools.set(name, backends);
    entries.push(...result.entries);
    const { refused, dropped, unresolved } = result;
    outcomes.push({ route, attachments, refused, dropped, unresolved });
  }
  const { ports, overtaking } = portsOf(entries, context);
  return {
    ports,
    pools: withUsedPools(pools, ports),
    routes: outcomes.map((each) => withoutOverlongRedirects(each, overtaking)),
    attached,
  };
}

type ServedRoute = Omit<RouteOutcome, 'route' | 'attachments'> & {
  readonly entries: readonly RouteEntry[];
  readonly pools: ReadonlyMap<string, readonly WeightedBackend[]>;
};

const EMPTY_ROUTE = { entries: [], pools: new Map(), dropped: [], unresolved: [] } as const;

function limitExceeded(limit: string): ServedRoute {
  const message = `a Gateway serves at most ${limit}, oldest routes first: create another Gateway`;
  return { ...EMPTY_ROUTE, refused: { reason: 'UnsupportedValue', message } };
}

function tooManyEntries(): ServedRoute {
  return limitExceeded(`${MAX_ENTRIES} route matches (counted per hostname) and ${MAX_BACKENDS} backends`);
}

interface Budget {
  entries: number;
  backends: number;
}

function fitsBudget({ entries, pools }: ServedRoute, budget: Budget, known: ReadonlyMap<string, unknown>): boolean {
  const backends = [...pools].reduce((sum, [name, all]) => sum + (known.has(name) ? 0 : all.length), 0);
  if (entries.length > budget.entries || backends > budget.backends) return false;
  budget.entries -= entries.length;
  budget.backends -= backends;
  return true;
}

function serveRoute(
  route: HttpRoute,
  attachments: readonly Attachment[],
  context: RoutingContext,
  budget: Budget,
): ServedRoute {
  const { spec } = route;
  if ('problem' in spec) return { ...EMPTY_ROUTE, refused: { reason: 'UnsupportedValue', message: spec.problem } };
  const places = new Map(
    attachments
      .flatMap(({ at }) => at.filter(({ listener }) => isAccepted(listener)))
      .map(({ listener, hosts }) => [listener.listener.name, { listener: listener.listener, hosts }] as const),
  );
  const hosts = [...places.values()].reduce((sum, place) => sum + place.hosts.length, 0);
  const matches = spec.rules.reduce((sum, rule) => sum + Math.max(rule.matches.length, 1), 0);
  // Checked before any of it is created.
  if (hosts * matches > budget.entries) return tooManyEntries();
  const rules = spec.rules.map((rule) => parseRule(rule, [...places.values()]));
  const dropped = rules.flatMap((rule, index) => ('problem' in rule ? [`rules[${index}]: ${rule.problem}`] : []));
  const pools = new Map<string, readonly WeightedBackend[]>();
  const unresolved: ReasonAndMessage[] = [];
  const entries = rules.flatMap((rule, index): RouteEntry[] => {
    if ('problem' in rule) return [];
    const { backends, problems } = resolveBackends(rule.backendRefs, {
      ...context,
      namespace: route.metadata.namespace ?? '',
    });
    unresolved.push(...problems);
    const pool = poolNameOf(backends);
    if (pool !== EMPTY_POOL) pools.set(pool, backends);
    return entriesOf(rule, pool).map((entry) => ({ ...entry, route, index }));
  });
  const isAllDropped = dropped.length > 0 && dropped.length === rules.length;
  const refused = isAllDropped ? { reason: 'UnsupportedValue', message: dropped.join('; ') } : undefined;
  return { entries, pools, refused, dropped: isAllDropped ? [] : dropped, unresolved };
}

function entriesOf({ requests }: ParsedRule, pool: string): readonly Omit<RouteEntry, 'route' | 'index'>[] {
  return requests.map(({ match, listener, redirect }) => ({ match, listener, target: redirect ?? pool }));
}

/**
 * Orders listeners from the most specific hostname, because a request that matches one listener is not passed to
 * others. Then orders by host, path, headers and route age.
 */
function portsOf(entries: readonly RouteEntry[], { listeners }: RoutingContext) {
  const ports = new Map<number, RoutedPort>();
  const overlong: RouteEntry[] = [];
  const served = listeners.filter(isAccepted).map(({ listener }) => listener);
  for (const port of new Set(served.map((listener) => listener.port))) {
    const entriesOnPort = served
      .filter((listener) => listener.port === port)
      .toSorted((a, b) => byHostPrecedence(a.hostname, b.hostname));
    const ordered = entriesOnPort.flatMap((listener, at): (Entry | RouteEntry)[] => {
      const own = entries.filter((entry) => entry.listener === listener).toSorted(byPrecedence);
      return [...own, ...fallbackEntries(listener, entriesOnPort.slice(at + 1))];
    });
    const { policies, refused } = orderRedirects(ordered);
    overlong.push(...refused.filter((entry) => 'route' in entry));
    ports.set(port, {
      // Listeners with a different protocol conflict.
      isHttps: entriesOnPort.every(isHttps),
      policies: policies.map(({ entry: { match, target }, rules }) => ({ name: nameOf(match), rules, target })),
    });
  }
  return { ports, overtaking: overlong };
}

function nameOf({ host, path, headers }: Entry['match']): string {
  return [`${host || '*'}${path.value}`, ...headers.map(({ name, value }) => `${name}=${value}`)].join(' ');
}

/** The most specific listener wins: requests that its routes do not match are not passed to other listeners. */
function fallbackEntries({ hostname }: Listener, lessSpecific: readonly Listener[]): readonly Entry[] {
  const isShared = lessSpecific.some(
    (other) => sharesHosts(other.hostname, hostname) && coversHost(other.hostname, hostname),
  );
  const match = { host: hostname, path: { type: 'Prefix', value: '/' }, headers: [] } as const;
  return isShared ? [{ match, target: EMPTY_POOL }] : [];
}

function byPrecedence(a: RouteEntry, b: RouteEntry): number {
  return (
    byHostPrecedence(a.match.host, b.match.host) ||
    byPathAndHeaders(a.match, b.match) ||
    byAge(a.route, b.route) ||
    a.index - b.index
  );
}

function byAge({ metadata: a }: HttpRoute, { metadata: b }: HttpRoute): number {
  return (
    compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') ||
    compare(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function withUsedPools(
  pools: ReadonlyMap<string, readonly WeightedBackend[]>,
  ports: ReadonlyMap<number, RoutedPort>,
): ReadonlyMap<string, readonly WeightedBackend[]> {
  const used = new Set([...ports.values()].flatMap(({ policies }) => policies.map(({ target }) => target)));
  return new Map([...pools].filter(([name]) => used.has(name)));
}

/** Removes redirects that Octavia would apply before routes with higher precedence. */
function withoutOverlongRedirects(outcome: RouteOutcome, overlong: readonly RouteEntry[]): RouteOutcome {
  const own = new Set(overlong.filter(({ route }) => route === outcome.route).map(({ index }) => index));
  if (own.size === 0) return outcome;
  const words = [...own].map(
    (index) =>
      `rules[${index}]: Octavia applies redirects first, so this one would also redirect requests that other rules match with higher precedence`,
  );
  const count = 'problem' in outcome.route.spec ? 0 : outcome.route.spec.rules.length;
  const dropped = [...outcome.dropped, ...words];
  if (dropped.length < count) return { ...outcome, dropped };
  return { ...outcome, dropped: [], refused: { reason: 'UnsupportedValue', message: dropped.join('; ') } };
}
