import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { badRequest } from '@fairway/kube/object/api-error';
import { parseFieldSelector } from '@fairway/kube/object/field-selector';
import { getAt } from '@fairway/kube/object/path';

/** The selected events, and the page size. */
export interface EventsSelection {
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly matches: (event: AuditEvent) => boolean;
}

export interface EventsQuery extends EventsSelection {
  /** Where the previous page ended. */
  readonly position: Position | undefined;
}

/**
 * Events are sorted newest first. The remaining events are those before `time`, and those at `time` except for the
 * first `seen`.
 */
export interface Position {
  readonly time: string;
  readonly seen: number;
}

const MAX_LIMIT = 500;

/** The fields that `fieldSelector` supports. */
export const SELECTABLE_FIELDS = [
  'auditID',
  'verb',
  'user.username',
  'objectRef.apiGroup',
  'objectRef.resource',
  'objectRef.subresource',
  'objectRef.name',
  'responseStatus.code',
] as const;

/** Parses a list's query. Throws 400. */
export function eventsQuery(query: URLSearchParams, nowMs: number): EventsQuery {
  return { ...eventsSelection(query, nowMs), position: positionOf(query.get('continue') ?? '') };
}

/** The selection without `continue`, whose format depends on the list. Throws 400. */
export function eventsSelection(query: URLSearchParams, nowMs: number): EventsSelection {
  if ((query.get('labelSelector') ?? '') !== '') {
    throw badRequest('labelSelector: audit events have no labels; use fieldSelector');
  }
  const terms = parseFieldSelector(query.get('fieldSelector') ?? '').map(({ field, negated, value }) => {
    if (!(SELECTABLE_FIELDS as readonly string[]).includes(field)) {
      throw badRequest(`fieldSelector: ${JSON.stringify(field)} is not one of ${SELECTABLE_FIELDS.join(', ')}`);
    }
    return { names: field.split('.'), negated, value };
  });
  return {
    limit: Math.min(parseWholeNumber(query, 'limit') || MAX_LIMIT, MAX_LIMIT),
    sinceMs: sinceMs(query, nowMs),
    matches: (event) => terms.every(({ names, negated, value }) => (textAt(event, names) === value) !== negated),
  };
}

function textAt(event: AuditEvent, names: readonly string[]): string {
  const value = getAt(event, names);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A time or a number of seconds, as for a pod's logs. */
function sinceMs(query: URLSearchParams, nowMs: number): number {
  const seconds = parseWholeNumber(query, 'sinceSeconds');
  const time = query.get('sinceTime') ?? '';
  if (time === '') return seconds === 0 ? 0 : nowMs - seconds * 1000;
  if (seconds !== 0) throw badRequest('sinceTime and sinceSeconds: specify only one of them');
  const ms = /^\d{4}-\d\d-\d\dT/.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(ms))
    throw badRequest(`sinceTime: ${JSON.stringify(time)} is not a time such as 2026-01-31T10:20:30Z`);
  return ms;
}

function parseWholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`${name}: ${JSON.stringify(text.slice(0, 100))} is not a whole number`);
}

/** Formats a `continue` token. */
export function formatPosition({ time, seen }: Position): string {
  return Buffer.from(`${time} ${seen}`).toString('base64url');
}

function positionOf(token: string): Position | undefined {
  if (token === '') return undefined;
  const text = Buffer.from(token, 'base64url').toString();
  const [, time, seen] = /^(\d{4}-\d\d-\d\dT[\d:.]{15}Z) (\d{1,9})$/.exec(text) ?? [];
  if (time === undefined) throw badRequest('invalid continue token');
  return { time, seen: Number(seen) };
}
