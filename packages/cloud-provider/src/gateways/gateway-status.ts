import { type ConditionStates, setConditions } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import type { ReasonAndMessage } from './condition-reason.ts';
import { no, type Progress, programmedState, trueState } from './conditions.ts';
import type { Gateway } from './kinds.ts';
import { isAccepted, type ValidatedListener } from './listeners.ts';
import type { GatewayStatus, ListenerStatus } from './schemas.ts';
import { ignoredInfrastructure } from './spec-from-gateway.ts';

export interface ValidatedGateway {
  readonly gateway: Gateway;
  /** Why the Gateway as a whole is not accepted. */
  readonly refused: ReasonAndMessage | undefined;
  readonly listeners: readonly ValidatedListener[];
  /** Number of attached routes, by listener name. */
  readonly attached: ReadonlyMap<string, number>;
}

/** Status of a Gateway that cannot be served at all. */
export const NO_CERTIFICATE: ReasonAndMessage = { reason: 'Invalid', message: 'no listener has a certificate' };

/** The desired status of a Gateway. Pure. */
export function gatewayStatusOf(validated: ValidatedGateway, progress: Progress, nowMs: number): GatewayStatus {
  const { gateway, listeners } = validated;
  const { status } = gateway;
  const address = progress.kind === 'programmed' ? [{ type: 'IPAddress', value: progress.address }] : status.addresses;
  const known = new Map(status.listeners.map((each) => [each.name, each]));
  const at = { generation: gateway.metadata.generation ?? 0, nowMs };
  return {
    ...(address && { addresses: address }),
    conditions: conditionsOf(status.conditions, gatewayStates(validated, progress), at),
    listeners: listeners.map((each) => listenerStatusOf(each, validated, progress, known.get(each.listener.name), at)),
  };
}

type At = { readonly generation: number; readonly nowMs: number };

function conditionsOf(known: readonly Condition[], states: ConditionStates, at: At): Condition[] {
  return [...setConditions(known, states, at)];
}

function gatewayStates({ gateway, refused, listeners }: ValidatedGateway, progress: Progress): ConditionStates {
  if (refused)
    return { Accepted: no(refused), Programmed: no({ reason: 'Invalid', message: 'the Gateway is not accepted' }) };
  const rejectedNames = listeners.filter((each) => !isAccepted(each)).map(({ listener }) => listener.name);
  const message = `these listeners are not served: ${rejectedNames.join(', ')}`;
  if (rejectedNames.length === listeners.length) {
    return {
      Accepted: no({ reason: 'ListenersNotValid', message }),
      Programmed: no({ reason: 'Invalid', message: 'no listener is accepted' }),
    };
  }
  const served = listeners.filter(isAccepted).map(({ listener }) => listener.name);
  const lacksCertificates =
    progress.kind === 'programmed' && served.every((name) => progress.withoutCertificate.has(name));
  return {
    Accepted:
      rejectedNames.length > 0
        ? trueState('ListenersNotValid', message)
        : trueState('Accepted', acceptedMessage(gateway)),
    Programmed: lacksCertificates
      ? no(NO_CERTIFICATE)
      : programmedState(gateway.status.conditions, progress, 'the load balancer matches the Gateway'),
  };
}

function acceptedMessage({ spec }: Gateway): string {
  const ignored = 'problem' in spec ? undefined : ignoredInfrastructure(spec);
  return ['the load balancer is being updated to match the Gateway', ...(ignored ? [ignored] : [])].join('; ');
}

function listenerStatusOf(
  validated: ValidatedListener,
  { refused: gatewayProblem, attached }: ValidatedGateway,
  progress: Progress,
  known: ListenerStatus | undefined,
  at: At,
): ListenerStatus {
  const { listener, refused, conflict, overlap, unresolved, kinds } = validated;
  const conditions = known?.conditions ?? [];
  const missing = progress.kind === 'programmed' ? progress.withoutCertificate.get(listener.name) : undefined;
  const isServed = isAccepted(validated) && gatewayProblem === undefined;
  const problem = refused ?? conflict;
  const states: ConditionStates = {
    Accepted: problem ? no(problem) : trueState('Accepted', 'the listener is served'),
    Conflicted: conflict
      ? { status: 'True', reason: conflict.reason, message: conflict.message }
      : no({ reason: 'NoConflicts', message: 'no other listener conflicts with it' }),
    ResolvedRefs: unresolved ? no(unresolved) : trueState('ResolvedRefs', 'all references are resolved'),
    Programmed: isServed
      ? missing === undefined
        ? programmedState(conditions, progress, 'the listener is programmed in the load balancer')
        : no({ reason: 'Invalid', message: missing })
      : no({ reason: 'Invalid', message: 'the listener is not accepted' }),
    OverlappingTLSConfig: isServed && overlap ? trueState(overlap.reason, overlap.message) : undefined,
  };
  return {
    name: listener.name,
    supportedKinds: kinds.map(({ group, kind }) => ({ group, kind })),
    attachedRoutes: attached.get(listener.name) ?? 0,
    conditions: conditionsOf(conditions, states, at),
  };
}
