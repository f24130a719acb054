import { GATEWAY_GROUP } from './kinds.ts';
import type { GatewaySpec, Listener } from './schemas.ts';

/** A reason and a message of a condition. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
}

/** A listener of a Gateway, and what is wrong with it. */
export interface JudgedListener {
  readonly listener: Listener;
  /** Why it is not accepted. */
  readonly refused: Verdict | undefined;
  /** It and another one want the same. Then it is not accepted either. */
  readonly conflict: Verdict | undefined;
  /** It names kinds of routes that it can't have. */
  readonly badKinds: Verdict | undefined;
  readonly kinds: readonly RouteKind[];
}

interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

const HTTP_ROUTE: RouteKind = { group: GATEWAY_GROUP, kind: 'HTTPRoute' };

/** Which kinds of routes listeners of a protocol can have. A protocol that is not here is not served. */
const KINDS_OF_PROTOCOL: ReadonlyMap<string, readonly RouteKind[]> = new Map([['HTTP', [HTTP_ROUTE]]]);

/** Those that are served for requests in clear text. */
export function isAccepted({ refused, conflict }: JudgedListener): boolean {
  return refused === undefined && conflict === undefined;
}

/** Pure; `listeners.test.ts` has the rules as tables. https://gateway-api.sigs.k8s.io/reference/spec/#listenerconditionreason */
export function judgeListeners({ listeners }: GatewaySpec): readonly JudgedListener[] {
  return listeners.map((listener) => {
    const possible = KINDS_OF_PROTOCOL.get(listener.protocol);
    return {
      listener,
      refused: possible === undefined ? unsupported(listener) : undefined,
      conflict: conflictOf(listener, listeners),
      ...kindsOf(listener, possible ?? []),
    };
  });
}

function unsupported({ protocol }: Listener): Verdict {
  const message =
    protocol === 'HTTPS' || protocol === 'TLS'
      ? `protocol ${protocol} is not served for Gateways yet: use HTTP, or a Service of type LoadBalancer with a certificate`
      : `protocol "${protocol.slice(0, 40)}" is not served: use HTTP, or a Service of type LoadBalancer for TCP and UDP`;
  return { reason: 'UnsupportedProtocol', message };
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
  if (wanted.length === 0) return { kinds: possible, badKinds: undefined };
  const isPossible = (each: RouteKind) => possible.some((one) => one.group === each.group && one.kind === each.kind);
  const bad = wanted.filter((each) => !isPossible(each)).map(({ group, kind }) => `${kind}.${group}`.slice(0, 80));
  const badKinds: Verdict | undefined =
    bad.length === 0
      ? undefined
      : { reason: 'InvalidRouteKinds', message: `routes of these kinds are not served: ${bad.join(', ')}` };
  return { kinds: wanted.filter(isPossible), badKinds };
}
