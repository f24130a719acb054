import { type ConditionStates, setConditions } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import { no, type Progress, programmedState, yes } from './conditions.ts';
import type { Gateway } from './kinds.ts';
import { isAccepted, type JudgedListener } from './listeners.ts';
import type { GatewayStatus, ListenerStatus } from './schemas.ts';
import type { Verdict } from './verdict.ts';

export interface JudgedGateway {
  readonly gateway: Gateway;
  /** Why all of it is not accepted. */
  readonly refused: Verdict | undefined;
  readonly listeners: readonly JudgedListener[];
  /** Routes by the name of the listener. */
  readonly attached: ReadonlyMap<string, number>;
}

/** Of a Gateway of which nothing can be served. */
export const UNCERTIFIED: Verdict = { reason: 'Invalid', message: 'no listener has a certificate' };

/** What is to be noted on a Gateway. Pure. */
export function gatewayStatusOf(judged: JudgedGateway, progress: Progress, nowMs: number): GatewayStatus {
  const { gateway, listeners } = judged;
  const { status } = gateway;
  const address = progress.kind === 'programmed' ? [{ type: 'IPAddress', value: progress.address }] : status.addresses;
  const known = new Map(status.listeners.map((each) => [each.name, each]));
  const at = { generation: gateway.metadata.generation ?? 0, nowMs };
  return {
    ...(address && { addresses: address }),
    conditions: conditionsOf(status.conditions, gatewayStates(judged, progress), at),
    listeners: listeners.map((each) => listenerStatus(each, judged, progress, known.get(each.listener.name), at)),
  };
}

type At = { readonly generation: number; readonly nowMs: number };

function conditionsOf(known: readonly Condition[], states: ConditionStates, at: At): Condition[] {
  return [...setConditions(known, states, at)];
}

function gatewayStates({ gateway, refused, listeners }: JudgedGateway, progress: Progress): ConditionStates {
  if (refused)
    return { Accepted: no(refused), Programmed: no({ reason: 'Invalid', message: 'the Gateway is not accepted' }) };
  const bad = listeners.filter((each) => !isAccepted(each)).map(({ listener }) => listener.name);
  const message = `these listeners are not served: ${bad.join(', ')}`;
  if (bad.length === listeners.length) {
    return {
      Accepted: no({ reason: 'ListenersNotValid', message }),
      Programmed: no({ reason: 'Invalid', message: 'no listener is accepted' }),
    };
  }
  const served = listeners.filter(isAccepted).map(({ listener }) => listener.name);
  const isDark = progress.kind === 'programmed' && served.every((name) => progress.uncertified.has(name));
  return {
    Accepted:
      bad.length > 0
        ? yes('ListenersNotValid', message)
        : yes('Accepted', 'the load balancer is made as the Gateway says'),
    Programmed: isDark
      ? no(UNCERTIFIED)
      : programmedState(gateway.status.conditions, progress, 'the load balancer is as the Gateway says'),
  };
}

function listenerStatus(
  judged: JudgedListener,
  { refused: whole, attached }: JudgedGateway,
  progress: Progress,
  known: ListenerStatus | undefined,
  at: At,
): ListenerStatus {
  const { listener, refused, conflict, overlap, unresolved, kinds } = judged;
  const conditions = known?.conditions ?? [];
  const missing = progress.kind === 'programmed' ? progress.uncertified.get(listener.name) : undefined;
  const isServed = isAccepted(judged) && whole === undefined;
  const wrong = refused ?? conflict;
  const states: ConditionStates = {
    Accepted: wrong ? no(wrong) : yes('Accepted', 'the listener is served'),
    Conflicted: conflict
      ? { status: 'True', reason: conflict.reason, message: conflict.message }
      : no({ reason: 'NoConflicts', message: 'no other listener wants the same' }),
    ResolvedRefs: unresolved ? no(unresolved) : yes('ResolvedRefs', 'all references are resolved'),
    Programmed: isServed
      ? missing === undefined
        ? programmedState(conditions, progress, 'the load balancer has the listener')
        : no({ reason: 'Invalid', message: missing })
      : no({ reason: 'Invalid', message: 'the listener is not accepted' }),
    OverlappingTLSConfig: isServed && overlap ? yes(overlap.reason, overlap.message) : undefined,
  };
  return {
    name: listener.name,
    supportedKinds: kinds.map(({ group, kind }) => ({ group, kind })),
    attachedRoutes: attached.get(listener.name) ?? 0,
    conditions: conditionsOf(conditions, states, at),
  };
}
