import { GROUP, VERSION } from '@fairway/api/group';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { badRequest } from '@fairway/kube/object/api-error';
import { eventsPage } from './events-page.ts';
import { eventsQuery, formatPosition } from './events-query.ts';
import { AUDIT_EVENT_KIND, eventsInForm, responseFormOf } from './response-form.ts';
import { readsAllNamespaces, tenantView } from './tenant-view.ts';

/** The resource with which tenants list the audit events of their namespaces. It is computed, not stored. */
export const AUDIT_EVENTS = {
  group: GROUP,
  version: VERSION,
  plural: 'auditevents',
  singular: 'auditevent',
  kind: AUDIT_EVENT_KIND,
  namespaced: true,
} as const;

/** The stored audit events by namespace. */
export interface AuditEventsSource {
  read(namespace: string): Promise<readonly string[]>;
}

export interface AuditEventsRequest {
  readonly namespace: string;
  readonly user: UserInfo;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly nowMs: number;
  /** Decides which users see details that tenants hide from each other; if undefined, none do. */
  readonly authorizer: Authorizer | undefined;
}

/**
 * Responds to an authorized list request with AuditEvents: Events of `audit.k8s.io/v1` with a kind and metadata that
 * kubectl can handle. Can also respond with a table of them or, for `as=EventList`, with the unchanged Events.
 * `createdMs` is when the namespace was created; undefined if it does not exist.
 */
export async function auditEventsList(
  source: AuditEventsSource,
  createdMs: (namespace: string) => Promise<number | undefined> | number | undefined,
  { namespace, user, query, accept, nowMs, authorizer }: AuditEventsRequest,
): Promise<object> {
  if (namespace === '') {
    throw badRequest('audit events can be listed only by namespace; the audit log has those of all namespaces');
  }
  const listQuery = eventsQuery(query, nowMs);
  const form = responseFormOf(query, accept);
  const since = await createdMs(namespace);
  const entries = since === undefined ? [] : await source.read(namespace);
  const page = eventsPage(entries, listQuery, since ?? 0);
  const readsAll = authorizer !== undefined && (await readsAllNamespaces(authorizer, user, AUDIT_EVENTS));
  const events = readsAll ? page.events : page.events.map((event) => tenantView(event, namespace, user));
  return eventsInForm(form, { events, next: page.next && formatPosition(page.next), namespace, nowMs });
}
