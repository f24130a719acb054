import type { DesiredCertificate } from '../tls/certificate-store.ts';
import {
  type CertificateContext,
  type GrantContext,
  type ResolvedCertificates,
  resolveCertificates,
  secretsOf,
} from './certificate-refs.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import { sharesHosts } from './hostnames.ts';
import { GATEWAY_GROUP } from './kinds.ts';
import type { GatewaySpec, Listener } from './schemas.ts';

/** A listener of a Gateway and its problems. */
export interface ValidatedListener {
  readonly listener: Listener;
  /** Why the listener is not accepted. */
  readonly refused: ReasonAndMessage | undefined;
  /** Set if the listener conflicts with another one and is therefore not accepted. */
  readonly conflict: ReasonAndMessage | undefined;
  /**
   * Set if the hosts of listeners overlap: a client of one listener may send requests for another listener on the same
   * connection.
   */
  readonly overlap: ReasonAndMessage | undefined;
  /** Invalid route kinds or certificate references. */
  readonly unresolved: ReasonAndMessage | undefined;
  /** Certificates of an HTTPS listener, in order. */
  readonly certificates: readonly DesiredCertificate[];
  readonly kinds: readonly RouteKind[];
}

interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

/** Our own limit on the length of a message. */
const MAX_MESSAGE_LENGTH = 4_000;
const HTTP_ROUTE: RouteKind = { group: GATEWAY_GROUP, kind: 'HTTPRoute' };

/** The route kinds that each supported protocol allows. */
const KINDS_OF_PROTOCOL: ReadonlyMap<string, readonly RouteKind[]> = new Map([
  ['HTTP', [HTTP_ROUTE]],
  ['HTTPS', [HTTP_ROUTE]],
]);

/** Listeners that can be served, provided that HTTPS listeners have a certificate. */
export function isAccepted({ refused, conflict }: Pick<ValidatedListener, 'refused' | 'conflict'>): boolean {
  return refused === undefined && conflict === undefined;
}

export function isHttps({ protocol }: Pick<Listener, 'protocol'>): boolean {
  return protocol === 'HTTPS';
}

/** The Secrets that a Gateway's listeners depend on. Pure. */
export function secretsOfListeners(spec: GatewaySpec, context: GrantContext) {
  return secretsOf(httpsListeners(spec), context);
}

/**
 * Validates the listeners of a Gateway. Pure; `listeners.test.ts` contains the rules as tables.
 * https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason
 */
export function validateListeners(spec: GatewaySpec, context: CertificateContext): readonly ValidatedListener[] {
  const { listeners } = spec;
  const resolved = resolveCertificates(httpsListeners(spec), context);
  return listeners.map((listener) => {
    const { kinds, badKinds } = kindsOf(listener, KINDS_OF_PROTOCOL.get(listener.protocol) ?? []);
    const { certificates = [], problems = [] }: Partial<ResolvedCertificates> = resolved.get(listener) ?? {};
    return {
      listener,
      refused: refusalOf(listener, spec),
      conflict: conflictOf(listener, listeners),
      overlap: overlapOf(listener, listeners),
      unresolved: combinedProblem([...problems, ...badKinds]),
      certificates,
      kinds,
    };
  });
}

/** Listeners whose certificates are checked. */
function httpsListeners(spec: GatewaySpec): readonly Listener[] {
  return spec.listeners.filter((listener) => isHttps(listener) && refusalOf(listener, spec) === undefined);
}

/** The supported fields of `tls`. */
const SUPPORTED_TLS_FIELDS: ReadonlySet<string> = new Set(['mode', 'certificateRefs']);
const NO_TLS: NonNullable<Listener['tls']> = { mode: 'Terminate', certificateRefs: [] };

function refusalOf(listener: Listener, { tls: gatewayTls }: GatewaySpec): ReasonAndMessage | undefined {
  const { protocol, tls = NO_TLS } = listener;
  if (!KINDS_OF_PROTOCOL.has(protocol)) return unsupportedProtocol(protocol);
  if (!isHttps(listener)) {
    return (
      listener.tls && invalidReason('tls requires protocol HTTPS: remove it, or change the protocol to encrypt traffic')
    );
  }
  if (tls.mode !== 'Terminate') {
    const message = `tls.mode ${tls.mode.slice(0, 40)} is not supported: use Terminate, or a Service of type LoadBalancer, which passes TLS through`;
    return { reason: 'UnsupportedProtocol', message };
  }
  const other = Object.keys(tls).find((field) => !SUPPORTED_TLS_FIELDS.has(field) && !isEmpty(tls[field]));
  if (other !== undefined) return invalidReason(`tls.${other.slice(0, 40)} is not supported: remove it`);
  // Ignoring this field would admit every client.
  if (!isEmpty(gatewayTls?.frontend))
    return invalidReason('spec.tls.frontend: client certificate validation is not supported');
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function unsupportedProtocol(protocol: string): ReasonAndMessage {
  const message =
    protocol === 'TLS'
      ? 'protocol TLS is not supported: use HTTPS, or a Service of type LoadBalancer, which passes TLS through'
      : `protocol "${protocol.slice(0, 40)}" is not supported: use HTTP or HTTPS, or a Service of type LoadBalancer for TCP and UDP`;
  return { reason: 'UnsupportedProtocol', message };
}

function invalidReason(message: string): ReasonAndMessage {
  return { reason: 'Invalid', message };
}

/** Combines several problems: the most important reason, and all messages. */
function combinedProblem(problems: readonly ReasonAndMessage[]): ReasonAndMessage | undefined {
  const first = problems.find(({ reason }) => reason === 'RefNotPermitted') ?? problems[0];
  const message = problems.map((problem) => problem.message).join('; ');
  return first && { reason: first.reason, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}

function overlapOf(listener: Listener, all: readonly Listener[]): ReasonAndMessage | undefined {
  const isOverlapping = (other: Listener) =>
    other !== listener &&
    other.port === listener.port &&
    other.protocol === listener.protocol &&
    other.hostname !== listener.hostname &&
    sharesHosts(other.hostname, listener.hostname);
  const names = isHttps(listener) ? all.filter(isOverlapping).map(({ name }) => name) : [];
  if (names.length === 0) return undefined;
  const message = `these listeners have overlapping hostnames: ${names.join(', ')}`;
  return { reason: 'OverlappingHostnames', message: message.slice(0, MAX_MESSAGE_LENGTH) };
}

/** Why the listener conflicts with another one. It is unknown which came first, so neither is served. */
function conflictOf(listener: Listener, all: readonly Listener[]): ReasonAndMessage | undefined {
  const others = all.filter((other) => other !== listener && other.port === listener.port);
  const foreign = others.find(({ protocol }) => protocol !== listener.protocol && !isDatagram(protocol, listener));
  if (foreign) {
    const message = `listener ${foreign.name}uses port ${listener.port} with protocol ${foreign.protocol.slice(0, 40)}`;
    return { reason: 'ProtocolConflict', message };
  }
  const conflicting = others.find(
    ({ protocol, hostname }) => protocol === listener.protocol && hostname === listener.hostname,
  );
  const host = listener.hostname === '' ? 'every hostname' : `hostname ${listener.hostname}`;
  return (
    conflicting && {
      reason: 'HostnameConflict',
      message: `listener ${conflicting.name} also uses port ${listener.port} with ${host}`,
    }
  );
}

/** UDP has its own port space. */
function isDatagram(protocol: string, other: Listener): boolean {
  return (protocol === 'UDP') !== (other.protocol === 'UDP');
}

function kindsOf({ allowedRoutes }: Listener, supportedKinds: readonly RouteKind[]) {
  const allowedKinds = allowedRoutes.kinds;
  if (allowedKinds.length === 0) return { kinds: supportedKinds, badKinds: [] };
  const isSupported = (each: RouteKind) =>
    supportedKinds.some((one) => one.group === each.group && one.kind === each.kind);
  const invalidKinds = allowedKinds
    .filter((each) => !isSupported(each))
    .map(({ group, kind }) => `${kind}.${group}`.slice(0, 80));
  const message = `these route kinds are not supported: ${invalidKinds.join(', ')}`;
  const badKinds: readonly ReasonAndMessage[] =
    invalidKinds.length === 0 ? [] : [{ reason: 'InvalidRouteKinds', message }];
  return { kinds: allowedKinds.filter(isSupported), badKinds };
}
