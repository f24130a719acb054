/** As much of an Event of `audit.k8s.io/v1` as is shown. Servers, and policies of operators, leave out what they like. */
export interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI?: string;
  readonly user?: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectRef;
  readonly responseStatus?: {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
  };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** RFC 3339, in microseconds. */
  readonly requestReceivedTimestamp?: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditUser {
  readonly username?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditObjectRef {
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

const DRY_RUN = 'fairway.dev/dry-run';

/** What became of a request: nobody knows it of one whose client was gone before the answer. */
export type Outcome = 'done' | 'refused' | 'failed' | 'unknown';

export function outcomeOf({ responseStatus }: AuditEvent): Outcome {
  const code = responseStatus?.code;
  if (code === undefined || code === 0) return 'unknown';
  if (code < 400) return 'done';
  return code === 401 || code === 403 ? 'refused' : 'failed';
}

const QUERY_CHANGES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);
/** Connections, and what hands out a credential: they happen whatever is in their query. */
const HEEDLESS_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'token']);

/**
 * Whether nothing was to be changed by it, as far as it is told. Of a deletion the server alone knows, and says so: one with a body does not heed the query, in which somebody who deletes could say
 * that he doesn't.
 */
export function isDryRun({ verb, objectRef, requestURI = '', annotations = {} }: AuditEvent): boolean {
  if (HEEDLESS_SUBRESOURCES.has(objectRef?.subresource ?? '')) return false;
  if (verb === 'delete' || verb === 'deletecollection') return annotations[DRY_RUN] === 'true';
  if (!QUERY_CHANGES.has(verb)) return false;
  const mark = requestURI.indexOf('?');
  // With its mark, of which one is not part of the query, but a second is.
  return mark >= 0 && new URLSearchParams(requestURI.slice(mark)).getAll('dryRun').includes('All');
}

/** Why the request was allowed, or not: the role in RBAC's words. */
export function authorizationOf({ annotations = {} }: AuditEvent): string | undefined {
  return annotations['authorization.k8s.io/reason'] || undefined;
}

/** By what an event is told from others: clients choose auditIDs, and some choose one twice. */
export function eventKey({ auditID, stageTimestamp }: AuditEvent): string {
  return `${stageTimestamp} ${auditID}`;
}
