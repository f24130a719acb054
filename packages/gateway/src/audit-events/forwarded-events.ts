import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { authorize } from '@fairway/apiserver/server/authorize';
import { notServed } from '@fairway/apiserver/server/dispatch';
import { type ApiRequest, type ApiResponse, jsonResponse } from '@fairway/apiserver/server/request';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError, methodNotAllowed } from '@fairway/kube/object/api-error';
import type { RequestTarget } from '../requests/handle-parent-request.ts';
import { AUDIT_EVENTS, type AuditEventsSource, auditEventsList } from './audit-events.ts';

export interface EventsForwardingOptions {
  /** Acts with Fairway's credentials. */
  readonly client: KubeClient;
  /** Decides whether the user may list the events. */
  readonly authorizer: Authorizer;
  /** Decides what other permissions the user has, without recording it in the audit log. */
  readonly silentAuthorizer: Authorizer;
  /** Undefined if events are not stored. */
  readonly source: AuditEventsSource | undefined;
  readonly clock: Clock;
}

/** Responds to `auditevents` in front of a management cluster, as the embedded server would: authorization first. */
export async function forwardedEvents(
  { client, authorizer, silentAuthorizer, source, clock }: EventsForwardingOptions,
  { namespace, name, verb }: RequestTarget,
  { query, headers }: ApiRequest,
  user: UserInfo,
): Promise<ApiResponse> {
  const { group, version, plural: resource } = AUDIT_EVENTS;
  await authorize(authorizer, { user, verb, group, version, resource, subresource: '', namespace, name });
  if (source === undefined) throw notServed();
  if (verb !== 'list') throw methodNotAllowed({ group, resource }, verb);
  const createdMs = async () => {
    try {
      const { metadata } = await client.resource(Namespaces).get(namespace);
      return Date.parse(metadata.creationTimestamp ?? '');
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
  const listRequest = {
    namespace,
    user,
    query,
    accept: headers['accept'],
    nowMs: clock.now(),
    authorizer: silentAuthorizer,
  };
  return jsonResponse(200, await auditEventsList(source, createdMs, listRequest));
}
