import type { AuditEvent, AuditUser } from './audit-event.ts';

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

export function keptEvent(event: AuditEvent): KeptEvent {
  const { auditID, verb, requestURI, user, impersonatedUser, sourceIPs, userAgent, objectRef, responseStatus } = event;
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations = {} } = event;
  const shown = SHOWN_ANNOTATIONS.flatMap((key) => (annotations[key] ? [[key, cut(annotations[key])] as const] : []));
  return {
    auditID: cut(auditID),
    verb: cut(verb),
    stageTimestamp,
    annotations: Object.fromEntries(shown),
    ...(requestURI !== undefined && { requestURI: cut(requestURI, 2 * MOST_CHARACTERS) }),
    ...(user && { user: nameOf(user) }),
    ...(impersonatedUser && { impersonatedUser: nameOf(impersonatedUser) }),
    ...(sourceIPs && { sourceIPs: sourceIPs.slice(0, 16).map((address) => cut(address)) }),
    ...(userAgent !== undefined && { userAgent: cut(userAgent) }),
    ...(objectRef && { objectRef }),
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
    ...(reason !== undefined && { reason: cut(reason) }),
    ...(message !== undefined && { message: cut(message) }),
  };
}

function bodyOf(body: unknown): string {
  return cut(JSON.stringify(body, undefined, 2), MOST_BODY_CHARACTERS);
}

function cut(text: string, most = MOST_CHARACTERS): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
