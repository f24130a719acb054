import type { WantedCertificate } from '../tls/certificate-store.ts';
import {
  type CertificateContext,
  type GrantContext,
  type ResolvedCertificates,
  resolveCertificates,
  secretsOf,
} from './certificate-refs.ts';
import { sharesHosts } from './hostnames.ts';
import { GATEWAY_GROUP } from './kinds.ts';
import type { GatewaySpec, Listener } from './schemas.ts';
import type { Verdict } from './verdict.ts';

/** A listener of a Gateway, and what is wrong with it. */
export interface JudgedListener {
  readonly listener: Listener;
  /** Why it is not accepted. */
  readonly refused: Verdict | undefined;
  /** It and another one want the same. Then it is not accepted either. */
  readonly conflict: Verdict | undefined;
  /** Which other ones have hosts in common with it: a client that has come to one of them may ask the other on the same connection. */
  readonly overlap: Verdict | undefined;
  /** It names kinds of routes that it can't have, or certificates. */
  readonly unresolved: Verdict | undefined;
  /** Of HTTPS, in their order. */
  readonly certificates: readonly WantedCertificate[];
  readonly kinds: readonly RouteKind[];
}

interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

/** The controller's limit of a message. */
const MAX_MESSAGE = 4_000;
const HTTP_ROUTE: RouteKind = { group: GATEWAY_GROUP, kind: 'HTTPRoute' };

/** Which kinds of routes listeners of a protocol can have. A protocol that is not here is not served. */
const KINDS_OF_PROTOCOL: ReadonlyMap<string, readonly RouteKind[]> = new Map([
  ['HTTP', [HTTP_ROUTE]],
  ['HTTPS', [HTTP_ROUTE]],
]);

/** Those that are served, if there is a certificate for those that need one. */
export function isAccepted({ refused, conflict }: Pick<JudgedListener, 'refused' | 'conflict'>): boolean {
  return refused === undefined && conflict === undefined;
}

export function isHttps({ protocol }: Pick<Listener, 'protocol'>): boolean {
  return protocol === 'HTTPS';
}

/** The Secrets that decide what becomes of a Gateway's listeners. Pure. */
export function secretsOfListeners(spec: GatewaySpec, context: GrantContext) {
  return secretsOf(certified(spec), context);
}

/** Pure; `listeners.test.ts` has the rules as tables. https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason */
export function judgeListeners(spec: GatewaySpec, context: CertificateContext): readonly JudgedListener[] {
  const { listeners } = spec;
  const resolved = resolveCertificates(certified(spec), context);
  return listeners.map((listener) => {
    const { kinds, badKinds } = kindsOf(listener, KINDS_OF_PROTOCOL.get(listener.protocol) ?? []);
    const { certificates = [], problems = [] }: Partial<ResolvedCertificates> = resolved.get(listener) ?? {};
    return {
      listener,
      refused: refusedOf(listener, spec),
      conflict: conflictOf(listener, listeners),
      overlap: overlapOf(listener, listeners),
      unresolved: worstOf([...problems, ...badKinds]),
      certificates,
      kinds,
    };
  });
}

/** Those of which certificates are looked at. */
function certified(spec: GatewaySpec): readonly Listener[] {
  return spec.listeners.filter((listener) => isHttps(listener) && refusedOf(listener, spec) === undefined);
}

/** What of `tls` is served. */
const SERVED_TLS: ReadonlySet<string> = new Set(['mode', 'certificateRefs']);
const NO_TLS: NonNullable<Listener['tls']> = { mode: 'Terminate', certificateRefs: [] };

function refusedOf(listener: Listener, { tls: whole }: GatewaySpec): Verdict | undefined {
  const { protocol, tls = NO_TLS } = listener;
  if (!KINDS_OF_PROTOCOL.has(protocol)) return unsupported(protocol);
  if (!isHttps(listener)) {
    return listener.tls && invalid('tls is for protocol HTTPS: take it away, or what is to be encrypted is not');
  }
  if (tls.mode !== 'Terminate') {
    const message = `tls.mode ${tls.mode.slice(0, 40)} is not served: use Terminate, or a Service of type LoadBalancer, which passes TLS on`;
    return { reason: 'UnsupportedProtocol', message };
  }
  const other = Object.keys(tls).find((field) => !SERVED_TLS.has(field) && !isEmpty(tls[field]));
  if (other !== undefined) return invalid(`tls.${other.slice(0, 40)} is not served: take it away`);
  // Without them everybody would be let in.
  if (!isEmpty(whole?.frontend)) return invalid('spec.tls.frontend: certificates of clients are not asked for');
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function unsupported(protocol: string): Verdict {
  const message =
    protocol === 'TLS'
      ? 'protocol TLS is not served: use HTTPS, or a Service of type LoadBalancer, which passes TLS on'
      : `protocol "${protocol.slice(0, 40)}" is not served: use HTTP or HTTPS, or a Service of type LoadBalancer for TCP and UDP`;
  return { reason: 'UnsupportedProtocol', message };
}

function invalid(message: string): Verdict {
  return { reason: 'Invalid', message };
}

/** Of several, the reason that counts first, and all messages. */
function worstOf(problems: readonly Verdict[]): Verdict | undefined {
  const first = problems.find(({ reason }) => reason === 'RefNotPermitted') ?? problems[0];
  const message = problems.map((problem) => problem.message).join('; ');
  return first && { reason: first.reason, message: message.slice(0, MAX_MESSAGE) };
}

function overlapOf(listener: Listener, all: readonly Listener[]): Verdict | undefined {
  const isOverlapping = (other: Listener) =>
    other !== listener &&
    other.port === listener.port &&
    other.protocol === listener.protocol &&
    other.hostname !== listener.hostname &&
    sharesHosts(other.hostname, listener.hostname);
  const names = isHttps(listener) ? all.filter(isOverlapping).map(({ name }) => name) : [];
  if (names.length === 0) return undefined;
  const message = `these listeners have hostnames in common with it: ${names.join(', ')}`;
  return { reason: 'OverlappingHostnames', message: message.slice(0, MAX_MESSAGE) };
}

/** Which of the two was first does not show: neither is served. */
function conflictOf(listener: Listener, all: readonly Listener[]): Verdict | undefined {
  const others = all.filter((other) => other !== listener && other.port === listener.port);
  const foreign = others.find(({ protocol }) => protocol !== listener.protocol && !isDatagram(protocol, listener));
  if (foreign) {
    const message = `listener ${foreign.name} has port ${listener.port} for protocol ${foreign.protocol.slice(0, 40)}`;
    return { reason: 'ProtocolConflict', message };
  }
  const twin = others.find(
    ({ protocol, hostname }) => protocol === listener.protocol && hostname === listener.hostname,
  );
  const host = listener.hostname === '' ? 'every hostname' : `hostname ${listener.hostname}`;
  return (
    twin && { reason: 'HostnameConflict', message: `listener ${twin.name} has port ${listener.port} and ${host} too` }
  );
}

/** UDP has ports of its own. */
function isDatagram(protocol: string, other: Listener): boolean {
  return (protocol === 'UDP') !== (other.protocol === 'UDP');
}

function kindsOf({ allowedRoutes }: Listener, possible: readonly RouteKind[]) {
  const wanted = allowedRoutes.kinds;
  if (wanted.length === 0) return { kinds: possible, badKinds: [] };
  const isPossible = (each: RouteKind) => possible.some((one) => one.group === each.group && one.kind === each.kind);
  const bad = wanted.filter((each) => !isPossible(each)).map(({ group, kind }) => `${kind}.${group}`.slice(0, 80));
  const message = `routes of these kinds are not served: ${bad.join(', ')}`;
  const badKinds: readonly Verdict[] = bad.length === 0 ? [] : [{ reason: 'InvalidRouteKinds', message }];
  return { kinds: wanted.filter(isPossible), badKinds };
}
