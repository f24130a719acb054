import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { ReasonAndMessage } from './condition-reason.ts';
import { commonHosts } from './hostnames.ts';
import { GATEWAY_GROUP, type HttpRoute } from './kinds.ts';
import { isAccepted, type ValidatedListener } from './listeners.ts';
import type { ParentRef } from './schemas.ts';
import { selects } from './selector.ts';

/** The result of resolving a route's reference to a Gateway. */
export interface Attachment {
  readonly parentRef: ParentRef;
  /** The listeners that the route attaches to, accepted or not, and the hosts that it serves there. */
  readonly at: readonly AllowedListener[];
  /** Why the route attaches to no accepted listener. */
  readonly refused: ReasonAndMessage | undefined;
}

interface AllowedListener {
  readonly listener: ValidatedListener;
  readonly hosts: readonly string[];
}

export interface AttachmentContext {
  readonly gateway: ObjectMeta;
  readonly listeners: readonly ValidatedListener[];
  /** Returns the labels of a namespace. */
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>>;
}

/** Whether a parentRef of a route refers to this Gateway. */
export function refersTo(ref: ParentRef, routeNamespace: string | undefined, gateway: ObjectMeta): boolean {
  return (
    ref.group === GATEWAY_GROUP &&
    ref.kind === 'Gateway' &&
    ref.name === gateway.name &&
    (ref.namespace ?? routeNamespace) === gateway.namespace
  );
}

/**
 * Resolves each reference of a route to the Gateway. Pure; `attachment.test.ts` contains the rules as tables.
 * https://gateway-api.sigs.k8s.io/reference/spec/#routeconditionreason
 */
export function attachmentsOf(route: HttpRoute, context: AttachmentContext): readonly Attachment[] {
  return refsOf(route, context).map((parentRef) => ({ parentRef, ...resolveParentRef(route, parentRef, context) }));
}

/** The attachments of a route beyond the limit: it attaches to no listener. */
export function overLimitAttachmentsOf(
  route: HttpRoute,
  context: Pick<AttachmentContext, 'gateway'>,
): readonly Attachment[] {
  return refsOf(route, context).map((parentRef) => ({ parentRef, at: [], refused: undefined }));
}

/** The references of a route to the Gateway, without duplicates. */
function refsOf(
  { metadata, parentRefs }: HttpRoute,
  { gateway }: Pick<AttachmentContext, 'gateway'>,
): readonly ParentRef[] {
  const refs = parentRefs.filter((ref) => refersTo(ref, metadata.namespace, gateway));
  return [...new Map(refs.map((ref) => [`${ref.sectionName ?? ''}:${ref.port ?? ''}`, ref])).values()];
}

function resolveParentRef(route: HttpRoute, { sectionName, port }: ParentRef, context: AttachmentContext) {
  const named = context.listeners.filter(
    ({ listener }) =>
      (sectionName === undefined || listener.name === sectionName) && (port === undefined || listener.port === port),
  );
  if (named.length === 0) {
    const which = [sectionName && `name ${sectionName}`, port && `port ${port}`].filter(Boolean).join(' and ');
    return refusedAttachment('NoMatchingParent', `the Gateway has no listener with ${which}`);
  }
  const allowed = named.filter((each) => isAllowed(route, each, context));
  if (allowed.length === 0) {
    const message = `allowedRoutes of the Gateway's listeners does not allow this HTTPRoute or its namespace ${route.metadata.namespace}`;
    return refusedAttachment('NotAllowedByListeners', message);
  }
  const hostnames = 'problem' in route.spec ? [] : route.spec.hostnames;
  const matching = allowed
    .map((listener) => ({ listener, hosts: commonHosts(listener.listener.hostname, hostnames) }))
    .filter(({ hosts }) => hosts.length > 0);
  if (matching.length === 0) {
    const hosts = allowed.map(({ listener }) => listener.hostname).join(', ');
    return refusedAttachment(
      'NoMatchingListenerHostname',
      `no hostname of the route matches the Gateway's listeners: ${hosts}`,
    );
  }
  if (matching.some(({ listener }) => isAccepted(listener))) return { at: matching, refused: undefined };
  const names = matching.map(({ listener }) => listener.listener.name).join(', ');
  return {
    at: matching,
    refused: { reason: 'NoMatchingParent', message: `the Gateway's listeners are not accepted: ${names}` },
  };
}

function refusedAttachment(reason: string, message: string) {
  return { at: [], refused: { reason, message } };
}

function isAllowed(
  { metadata: { namespace = '' } }: HttpRoute,
  { listener, kinds }: ValidatedListener,
  { gateway, labelsOf }: AttachmentContext,
): boolean {
  if (!kinds.some(({ kind }) => kind === 'HTTPRoute') && restrictsKinds(listener)) return false;
  const { from, selector } = listener.allowedRoutes.namespaces;
  switch (from) {
    case 'All':
      return true;
    case 'Same':
      return namespace === gateway.namespace;
    case 'Selector':
      return selects(selector, labelsOf(namespace));
    default:
      return false;
  }
}

/**
 * Whether the listener limits the kinds of routes. A listener with an unsupported protocol reports that problem itself.
 */
function restrictsKinds({ allowedRoutes }: ValidatedListener['listener']): boolean {
  return allowedRoutes.kinds.length > 0;
}
