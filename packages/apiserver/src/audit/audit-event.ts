import { isIP } from 'node:net';
import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import type { UserInfo } from '../auth/user.ts';
import { splitTarget } from '../server/split-target.ts';
import type { AuditLevel, AuditStage } from './audit-level.ts';
import { MAX_EVENT_CHARS } from './audited-body.ts';

/** An `audit.k8s.io/v1` Event. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: Exclude<AuditLevel, 'None'>;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** The user that made the request; empty if not authenticated. */
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectRef;
  readonly responseStatus?: AuditStatus;
  /** The request body, at level Request or higher. */
  readonly requestObject?: unknown;
  /** The response body, at level RequestResponse. */
  readonly responseObject?: unknown;
  /** In microseconds, as in Kubernetes. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type AuditUser = Partial<UserInfo>;

export interface AuditObjectRef {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly apiGroup?: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

/** The bounded part of a Status. */
export interface AuditStatus {
  readonly metadata: Record<string, never>;
  readonly status?: 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

/** Kubernetes' length limit for a user agent, and its truncation marker. */
const MAX_USER_AGENT_CHARS = 1024;
const TRUNCATION_SUFFIX = '...TRUNCATED';
const MAX_URI_CHARS = 8192;
const MAX_MESSAGE_CHARS = 1024;
const MAX_NAME_CHARS = 512;
const MAX_SOURCES = 16;
/** Length limit for each string in an event whose line would otherwise be too long. */
const MAX_SHORT_CHARS = 200;
/** kube-apiserver's annotation on truncated events. */
export const TRUNCATED_ANNOTATION = 'audit.k8s.io/truncated';
/** Annotation that lists bodies that the level includes but the event lacks, and the reasons. */
export const OMITTED_ANNOTATION = 'audit.fairway.dev/omitted';
const BODYLESS_ANNOTATIONS = [TRUNCATED_ANNOTATION, OMITTED_ANNOTATION];
/**
 * Length limit for a line without bodies. Beyond it, fields whose size is not limited by the request headers are
 * omitted, such as thousands of groups.
 */
const MAX_LINE_CHARS = 32 * 1024;

/** A string truncated for the log. */
export function bounded(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}${TRUNCATION_SUFFIX}`;
}

/**
 * An event as one line of JSON, without the newline. The line has at most 32 Ki characters, or 100 Ki with
 * bodies, which are omitted first.
 */
export function auditLine(event: AuditEvent): string {
  const line = JSON.stringify(boundedEvent(event));
  if (line.length <= (hasBodies(event) ? MAX_EVENT_CHARS : MAX_LINE_CHARS)) return line;
  const { annotations, user, impersonatedUser } = event;
  if (hasBodies(event)) {
    return auditLine({ ...withoutBodies(event), annotations: { ...annotations, [TRUNCATED_ANNOTATION]: 'true' } });
  }
  const short = {
    ...event,
    user: nameOnly(user),
    ...(impersonatedUser && { impersonatedUser: nameOnly(impersonatedUser) }),
    annotations: { ...annotations, [TRUNCATED_ANNOTATION]: 'true' },
  };
  return JSON.stringify(short, (_, value: unknown) =>
    typeof value === 'string' ? bounded(value, MAX_SHORT_CHARS) : value,
  );
}

/** Annotation on dry-run deletions: kubectl sets dryRun in the body, which events at level Metadata lack. */
export const DRY_RUN_ANNOTATION = 'fairway.dev/dry-run';

const DELETE_VERBS: ReadonlySet<string> = new Set(['delete', 'deletecollection']);

const CHANGE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', ...DELETE_VERBS]);
/** Connections and credential requests, which ignore `dryRun` on at least some API servers. */
const NO_DRY_RUN_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'token']);

export function isDeletion(verb: string): boolean {
  return DELETE_VERBS.has(verb);
}

export function requestsDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

/**
 * Whether a request was a dry run, judging by its event. A deletion with a body takes its options from the body, not
 * the query; if the event lacks the body, the answer is unknown. Requests that ignore `dryRun` are never considered dry
 * runs, so the query can't hide them.
 */
export function isDryRun({ verb, level, requestURI, annotations = {}, requestObject, objectRef }: AuditEvent): boolean {
  if (!CHANGE_VERBS.has(verb) || NO_DRY_RUN_SUBRESOURCES.has(objectRef?.subresource ?? '')) return false;
  if (isDeletion(verb)) {
    if (annotations[DRY_RUN_ANNOTATION] === 'true') return true;
    if (requestObject !== undefined) return isDryRunOptions(requestObject);
    if (level === 'Metadata' || BODYLESS_ANNOTATIONS.some((key) => key in annotations)) return false;
  }
  return requestsDryRun(splitTarget(requestURI).query);
}

/** Whether a deletion's options request a dry run. */
export function isDryRunOptions(options: unknown): boolean {
  if (!isJsonObject(options)) return false;
  const { dryRun } = options;
  return isJsonArray(dryRun) && dryRun.includes('All');
}

/** An event without request and response bodies. */
export function withoutBodies(event: AuditEvent): AuditEvent {
  const { requestObject: _, responseObject: __, ...rest } = event;
  return rest;
}

function hasBodies({ requestObject, responseObject }: AuditEvent): boolean {
  return requestObject !== undefined || responseObject !== undefined;
}

function boundedEvent(event: AuditEvent): AuditEvent {
  const { userAgent, objectRef, responseStatus } = event;
  const { message, details } = responseStatus ?? {};
  return {
    ...event,
    requestURI: bounded(event.requestURI, MAX_URI_CHARS),
    ...(userAgent !== undefined && { userAgent: bounded(userAgent, MAX_USER_AGENT_CHARS) }),
    ...(objectRef && { objectRef: withBoundedStrings(objectRef) }),
    ...(responseStatus && {
      responseStatus: {
        ...responseStatus,
        ...(message !== undefined && { message: bounded(message, MAX_MESSAGE_CHARS) }),
        ...(details && { details: withBoundedStrings(details) }),
      },
    }),
  };
}

function withBoundedStrings<T extends object>(fields: T): T {
  const cut = Object.entries(fields).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string' ? bounded(value, MAX_NAME_CHARS) : value,
  ]);
  return Object.fromEntries(cut) as T;
}

function nameOnly({ username = '', uid }: AuditUser): AuditUser {
  return { username, ...(uid !== undefined && { uid }) };
}

/**
 * The source IPs, listed as in kube-apiserver: those from proxy headers (X-Forwarded-For, X-Real-Ip), then the
 * connection's peer. All but the last can be forged by the client.
 */
export function sourceIPs(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  peer: string | undefined,
): string[] {
  const forwardedFor = String(headers['x-forwarded-for'] ?? '').split(',', MAX_SOURCES);
  const found = forwardedFor.map((address) => address.trim()).filter((address) => isIP(address) !== 0);
  const realIp = String(headers['x-real-ip'] ?? '').trim();
  if (isIP(realIp) !== 0 && !found.includes(realIp)) found.push(realIp);
  const last = peer?.replace(/^::ffff:(?=\d+\.)/, '');
  if (last !== undefined && isIP(last) !== 0 && found.at(-1) !== last) found.push(last);
  return found;
}

/** The request's Audit-ID header if it is valid; otherwise, a new ID. */
export function auditIdOf(requestedID: string | undefined, makeId: () => string): string {
  return requestedID !== undefined && /^[\w.:-]{1,64}$/.test(requestedID) ? requestedID : makeId();
}
