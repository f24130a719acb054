import { plain } from '../text/plain.ts';
import type { AuditEvent, AuditObjectRef, AuditUser } from './audit-event.ts';

/** An event as a page keeps it: only displayed fields, truncated, so that two thousand fit in a browser. */
export interface TrimmedEvent extends Omit<AuditEvent, 'requestObject' | 'responseObject'> {
  /** The request body as text. */
  readonly requestBody?: string;
  readonly responseBody?: string;
}

const SHOWN_ANNOTATIONS = ['authorization.k8s.io/reason', 'fairway.dev/dry-run'];
const USER_NAME = 'alpha.kubernetes.io/identity/user/name';
const MAX_LENGTH = 1_000;
const MAX_BODY_LENGTH = 8_000;
/** Deeper than any Kubernetes object is nested. */
const MAX_DEPTH = 32;

export function trimEvent(event: AuditEvent): TrimmedEvent {
  const { auditID, verb, requestURI, user, impersonatedUser, sourceIPs, userAgent, objectRef, responseStatus } = event;
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations = {} } = event;
  const shownAnnotations = SHOWN_ANNOTATIONS.flatMap((key) =>
    annotations[key] ? [[key, clipPlain(annotations[key])] as const] : [],
  );
  return {
    auditID: clip(auditID),
    verb: clip(verb),
    stageTimestamp,
    annotations: Object.fromEntries(shownAnnotations),
    ...(requestURI !== undefined && { requestURI: clipPlain(requestURI, 2 * MAX_LENGTH) }),
    ...(user && { user: nameOf(user) }),
    ...(impersonatedUser && { impersonatedUser: nameOf(impersonatedUser) }),
    ...(sourceIPs && { sourceIPs: sourceIPs.slice(0, 16).map((address) => clipPlain(address)) }),
    ...(userAgent !== undefined && { userAgent: clipPlain(userAgent) }),
    ...(objectRef && { objectRef: objectOf(objectRef) }),
    ...(responseStatus && { responseStatus: statusOf(responseStatus) }),
    ...(requestReceivedTimestamp !== undefined && { requestReceivedTimestamp }),
    ...(requestObject !== undefined && { requestBody: bodyOf(requestObject) }),
    ...(responseObject !== undefined && { responseBody: bodyOf(responseObject) }),
  };
}

function nameOf({ username = '', extra }: AuditUser): AuditUser {
  const name = extra?.[USER_NAME]?.[0];
  return { username: clip(username), ...(name !== undefined && { extra: { [USER_NAME]: [clip(name)] } }) };
}

function statusOf({ code, reason, message }: NonNullable<AuditEvent['responseStatus']>) {
  return {
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason: clipPlain(reason) }),
    ...(message !== undefined && { message: clipPlain(message) }),
  };
}

/** Names are not escaped, because they are used in queries. */
function objectOf({ resource, subresource, namespace, name }: AuditObjectRef): AuditObjectRef {
  return {
    ...(resource !== undefined && { resource: clip(resource) }),
    ...(subresource !== undefined && { subresource: clip(subresource) }),
    ...(namespace !== undefined && { namespace: clip(namespace) }),
    ...(name !== undefined && { name: clip(name) }),
  };
}

function bodyOf(body: unknown): string {
  return clipPlain(JSON.stringify(limitDepth(body, MAX_DEPTH), undefined, 2), MAX_BODY_LENGTH);
}

/** Omits deeper levels: indentation would make each of their lines as long as its depth. */
function limitDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((each) => limitDepth(each, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, limitDepth(each, levels - 1)]));
}

function clipPlain(text: string, maxLength?: number): string {
  return plain(clip(text, maxLength));
}

function clip(text: string, maxLength = MAX_LENGTH): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
