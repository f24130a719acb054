import { API_VERSION } from '@fairway/api/group';
import { type AuditEvent, isDryRun } from '@fairway/apiserver/audit/audit-event';
import { humanDuration } from '@fairway/apiserver/server/human-duration';
import { acceptsJson, notAcceptable, parseAccept } from '@fairway/apiserver/server/negotiation';
import { badRequest } from '@fairway/kube/object/api-error';

export const AUDIT_EVENT_KIND = 'AuditEvent';
export const AUDIT_EVENT_LIST_KIND = 'AuditEventList';

/** A table, AuditEvents, or Events of `audit.k8s.io/v1`. */
export type ResponseForm = 'table' | 'objects' | 'events';

/** Determines the requested form. Throws 400 or 406. */
export function responseFormOf(query: URLSearchParams, accept: string | undefined): ResponseForm {
  const as = query.get('as');
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

/** A page of events in that form. @param page `next` is the token of the page after it. */
export function eventsInForm(form: ResponseForm, page: PageContent): object {
  const { events, next, namespace, nowMs } = page;
  const metadata = { ...(next !== undefined && { continue: next }) };
  switch (form) {
    case 'table':
      return tableOf(events, metadata, namespace, nowMs);
    case 'events':
      return { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata, items: events };
    case 'objects': {
      const items = events.map((event) => objectOf(event, namespace));
      return { kind: AUDIT_EVENT_LIST_KIND, apiVersion: API_VERSION, metadata, items };
    }
  }
}

export interface PageContent {
  readonly events: readonly AuditEvent[];
  readonly next: string | undefined;
  readonly namespace: string;
  readonly nowMs: number;
}

function objectOf(event: AuditEvent, namespace: string): object {
  const { kind: _, apiVersion: __, ...fields } = event;
  return { apiVersion: API_VERSION, kind: AUDIT_EVENT_KIND, metadata: metadataOf(event, namespace), ...fields };
}

function metadataOf({ auditID, stageTimestamp }: Pick<AuditEvent, 'auditID' | 'stageTimestamp'>, namespace: string) {
  return { name: auditID, namespace, creationTimestamp: `${stageTimestamp.slice(0, 19)}Z` };
}

const COLUMNS = [
  ['Age', 0, 'Time since the response was sent.'],
  ['User', 0, 'The user who sent the request; after "as", the impersonated user.'],
  ['Verb', 0, 'The verb of the request, and whether it was a dry run.'],
  ['Object', 0, 'The object of the request.'],
  ['Code', 0, 'The status of the response.'],
  ['From', 1, 'The source address of the request.'],
  ['Audit-Id', 1, 'The metadata of the list.'],
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
      cells: cellsOf(event, nowMs).map(singleLine),
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: metadataOf(event, namespace),
      },
    })),
  };
}

/**
 * Characters that end a line or column, or control a terminal. Names in requests may contain them, and users who print
 * the table do not expect that.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

function singleLine(text: string): string {
  return text.replaceAll(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function cellsOf(event: AuditEvent, nowMs: number): string[] {
  const { user, impersonatedUser, verb, objectRef, responseStatus, sourceIPs = [], auditID } = event;
  const who = user.username ?? '<unknown>';
  const { resource = '', subresource, name } = objectRef ?? {};
  const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [
    humanDuration(nowMs - Date.parse(event.stageTimestamp)),
    impersonatedUser === undefined ? who : `${who} as ${impersonatedUser.username ?? ''}`,
    isDryRun(event) ? `${verb} (dry run)` : verb,
    name === undefined ? kind : `${kind} ${name}`,
    responseStatus?.code === undefined ? '<none>' : String(responseStatus.code),
    sourceIPs.join(','),
    auditID,
  ];
}
