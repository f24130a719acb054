import { API_VERSION, GROUP, VERSION } from '@fairway/api/group';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { humanDuration } from '@fairway/apiserver/server/human-duration';
import { acceptsJson, notAcceptable, parseAccept } from '@fairway/apiserver/server/negotiation';
import { badRequest } from '@fairway/kube/object/api-error';
import { eventsPage } from './events-page.ts';
import { eventsQuery, formatPosition } from './events-query.ts';
import { tenantView } from './tenant-view.ts';

/** The resource under which tenants list the audit events of their namespaces. It is answered, not stored. */
export const AUDIT_EVENTS = {
  group: GROUP,
  version: VERSION,
  plural: 'auditevents',
  singular: 'auditevent',
  kind: 'AuditEvent',
  namespaced: true,
} as const;

/** What is kept of the audit events of each namespace. */
export interface AuditEventsSource {
  read(namespace: string): Promise<readonly string[]>;
}

export interface AuditEventsRequest {
  readonly namespace: string;
  readonly user: UserInfo;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly nowMs: number;
}

/**
 * Answers an authorized list: AuditEvents, which are Events of `audit.k8s.io/v1` under a kind and with the metadata that kubectl can handle; a table of them; or,
 * with `as=EventList`, those Events as they are. `createdMs` is when the namespace was made; undefined: there is none.
 */
export async function auditEventsList(
  source: AuditEventsSource,
  createdMs: (namespace: string) => Promise<number | undefined> | number | undefined,
  { namespace, user, query, accept, nowMs }: AuditEventsRequest,
): Promise<object> {
  if (namespace === '') {
    throw badRequest('audit events are listed namespace by namespace; those of all are in the audit log');
  }
  const asked = eventsQuery(query, nowMs);
  const form = formOf(query.get('as'), accept);
  const since = await createdMs(namespace);
  const entries = since === undefined ? [] : await source.read(namespace);
  const page = eventsPage(entries, asked, since ?? 0);
  const events = page.events.map((event) => tenantView(event, namespace, user));
  const metadata = { ...(page.next && { continue: formatPosition(page.next) }) };
  switch (form) {
    case 'table':
      return tableOf(events, metadata, namespace, nowMs);
    case 'events':
      return { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata, items: events };
    case 'objects': {
      const items = events.map((event) => objectOf(event, namespace));
      return { kind: `${AUDIT_EVENTS.kind}List`, apiVersion: API_VERSION, metadata, items };
    }
  }
}

function formOf(as: string | null, accept: string | undefined): 'table' | 'objects' | 'events' {
  if (as === 'EventList') return 'events';
  if (as !== null && as !== '') throw badRequest(`as: ${JSON.stringify(as)} is not "EventList"`);
  for (const range of parseAccept(accept)) {
    if (!acceptsJson(range)) continue;
    const form = range.parameters.get('as');
    if (form === undefined) return 'objects';
    if (form === 'Table' && range.parameters.get('v') === 'v1') return 'table';
  }
  throw notAcceptable();
}

function objectOf(event: AuditEvent, namespace: string): object {
  const { kind: _, apiVersion: __, ...fields } = event;
  return { apiVersion: API_VERSION, kind: AUDIT_EVENTS.kind, metadata: metadataOf(event, namespace), ...fields };
}

function metadataOf({ auditID, stageTimestamp }: Pick<AuditEvent, 'auditID' | 'stageTimestamp'>, namespace: string) {
  return { name: auditID, namespace, creationTimestamp: `${stageTimestamp.slice(0, 19)}Z` };
}

const COLUMNS = [
  ['Age', 0, 'How long ago it was answered.'],
  ['User', 0, 'Who asked for it; with "as", in whose name.'],
  ['Verb', 0, 'What was asked for.'],
  ['Object', 0, 'What it was asked of.'],
  ['Code', 0, 'What was answered.'],
  ['From', 1, 'Where the request came from.'],
  ['Audit-Id', 1, 'The header of the answer.'],
] as const;

function tableOf(events: readonly AuditEvent[], metadata: object, namespace: string, nowMs: number): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: COLUMNS.map(([name, priority, description]) => {
      return { name, type: 'string', format: '', description, priority };
    }),
    rows: events.map((event) => ({
      cells: cellsOf(event, nowMs),
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: metadataOf(event, namespace),
      },
    })),
  };
}

function cellsOf(event: AuditEvent, nowMs: number): string[] {
  const { user, impersonatedUser, verb, objectRef, responseStatus, sourceIPs = [], auditID } = event;
  const who = user.username ?? '<unknown>';
  const { resource = '', subresource, name } = objectRef ?? {};
  const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [
    humanDuration(nowMs - Date.parse(event.stageTimestamp)),
    impersonatedUser === undefined ? who : `${who} as ${impersonatedUser.username ?? ''}`,
    verb,
    name === undefined ? kind : `${kind} ${name}`,
    responseStatus?.code === undefined ? '<none>' : String(responseStatus.code),
    sourceIPs.join(','),
    auditID,
  ];
}
