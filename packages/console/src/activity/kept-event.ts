import { plain } from '../text/plain.ts';
import type { AuditEvent, AuditObjectRef, AuditUser } from './audit-event.ts';

/** An event as a page keeps it: what is shown, as much of it as somebody reads, so that two thousand fit into a browser whatever is in them. */
export interface KeptEvent extends Omit<AuditEvent, 'requestObject' | 'responseObject'> {
  /** What was sent, as text. */
  readonly sent?: string;
  readonly answered?: string;
}

const SHOWN_ANNOTATIONS = ['authorization.k8s.io/reason', 'fairway.dev/dry-run'];
const USER_NAME = 'alpha.kubernetes.io/identity/user/name';
const MOST_CHARACTERS = 1_000;
const MOST_BODY_CHARACTERS = 8_000;
/** Deeper than what Kubernetes has. */
const MOST_DEPTH = 32;

export function keptEvent(event: AuditEvent): KeptEvent {
  const { auditID, verb, requestURI, user, impersonatedUser, sourceIPs, userAgent, objectRef, responseStatus } = event;
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations = {} } = event;
  const told = SHOWN_ANNOTATIONS.flatMap((key) => (annotations[key] ? [[key, shown(annotations[key])] as const] : []));
  return {
    auditID: cut(auditID),
    verb: cut(verb),
    stageTimestamp,
    annotations: Object.fromEntries(told),
    ...(requestURI !== undefined && { requestURI: shown(requestURI, 2 * MOST_CHARACTERS) }),
    ...(user && { user: nameOf(user) }),
    ...(impersonatedUser && { impersonatedUser: nameOf(impersonatedUser) }),
    ...(sourceIPs && { sourceIPs: sourceIPs.slice(0, 16).map((address) => shown(address)) }),
    ...(userAgent !== undefined && { userAgent: shown(userAgent) }),
    ...(objectRef && { objectRef: objectOf(objectRef) }),
    ...(responseStatus && { responseStatus: statusOf(responseStatus) }),
    ...(requestReceivedTimestamp !== undefined && { requestReceivedTimestamp }),
    ...(requestObject !== undefined && { sent: bodyOf(requestObject) }),
    ...(responseObject !== undefined && { answered: bodyOf(responseObject) }),
  };
}

function nameOf({ username = '', extra }: AuditUser): AuditUser {
  const name = extra?.[USER_NAME]?.[0];
  return { username: cut(username), ...(name !== undefined && { extra: { [USER_NAME]: [cut(name)] } }) };
}

function statusOf({ code, reason, message }: NonNullable<AuditEvent['responseStatus']>) {
  return {
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason: shown(reason) }),
    ...(message !== undefined && { message: shown(message) }),
  };
}

/** Names as they are: by them more is asked for. */
function objectOf({ resource, subresource, namespace, name }: AuditObjectRef): AuditObjectRef {
  return {
    ...(resource !== undefined && { resource: cut(resource) }),
    ...(subresource !== undefined && { subresource: cut(subresource) }),
    ...(namespace !== undefined && { namespace: cut(namespace) }),
    ...(name !== undefined && { name: cut(name) }),
  };
}

function bodyOf(body: unknown): string {
  return shown(JSON.stringify(shallow(body, MOST_DEPTH), undefined, 2), MOST_BODY_CHARACTERS);
}

/** What is nested deeper is left out: indented, each of its lines would be as long as it is deep. */
function shallow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((each) => shallow(each, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shallow(each, levels - 1)]));
}

function shown(text: string, most?: number): string {
  return plain(cut(text, most));
}

function cut(text: string, most = MOST_CHARACTERS): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
