import { type ConditionStates, setConditions } from '@fairway/kube/controller/conditions';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import { type Attachment, refersTo } from './attachment.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import { no, trueState } from './conditions.ts';
import type { HttpRoute } from './kinds.ts';
import type { RouteOutcome } from './routing.ts';
import type { ParentRef, RouteParentStatus } from './schemas.ts';
import { CONTROLLER } from './tenant-gateways.ts';

/** Our own limit on the length of a message. */
const MAX_MESSAGE_LENGTH = 4_000;

/** The desired parent statuses of a route: unchanged except for this Gateway's. Pure. */
export function parentsOf(
  { route, attachments, ...outcome }: RouteOutcome,
  gateway: ObjectMeta,
  nowMs: number,
): readonly RouteParentStatus[] {
  const { generation = 0, namespace } = route.metadata;
  const own = attachments.map((attachment): RouteParentStatus => {
    const { parentRef } = attachment;
    const known = route.parents.find((each) => isOwn(each) && isSameRef(each.parentRef, parentRef));
    const states = statesOf(attachment, outcome);
    return {
      parentRef,
      controllerName: CONTROLLER,
      conditions: [...setConditions(known?.conditions, states, { generation, nowMs })],
    };
  });
  return [...foreignParents(route.parents, namespace, gateway), ...own];
}

/** The parent statuses without this Gateway's entry. */
export function parentsWithoutGateway(
  { parents, metadata }: HttpRoute,
  gateway: ObjectMeta,
): readonly RouteParentStatus[] {
  return foreignParents(parents, metadata.namespace, gateway);
}

function foreignParents(parents: readonly RouteParentStatus[], namespace: string | undefined, gateway: ObjectMeta) {
  return parents.filter((each) => !isOwn(each) || !refersTo(each.parentRef, namespace, gateway));
}

function isOwn({ controllerName }: RouteParentStatus): boolean {
  return controllerName === CONTROLLER;
}

function isSameRef(a: ParentRef, b: ParentRef): boolean {
  return a.name === b.name && a.namespace === b.namespace && a.sectionName === b.sectionName && a.port === b.port;
}

/** https://gateway-api.sigs.k8s.io/reference/spec/#routeconditiontype */
function statesOf(
  { refused }: Attachment,
  outcome: Pick<RouteOutcome, 'refused' | 'dropped' | 'unresolved'>,
): ConditionStates {
  const { dropped, unresolved } = outcome;
  const problem = refused ?? outcome.refused;
  const isPartiallyServed = problem === undefined && dropped.length > 0;
  return {
    Accepted: problem ? no(truncated(problem)) : trueState('Accepted', 'the Gateway serves the route'),
    ResolvedRefs:
      unresolved.length > 0
        ? no(
            truncated({
              reason: unresolved[0]?.reason ?? '',
              message: unresolved.map(({ message }) => message).join('; '),
            }),
          )
        : trueState('ResolvedRefs', 'all references are resolved'),
    PartiallyInvalid: isPartiallyServed
      ? trueState('UnsupportedValue', truncated({ reason: '', message: `Dropped Rule ${dropped.join('; ')}` }).message)
      : undefined,
  };
}

function truncated({ reason, message }: ReasonAndMessage): ReasonAndMessage {
  return { reason, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}
