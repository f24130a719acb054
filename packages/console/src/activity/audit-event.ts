/**
 * The displayed fields of an Event of `audit.k8s.io/v1`. Servers, and the operator's policies, may omit any of them.
 */
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

/** The outcome of a request; unknown if its client disconnected before the response. */
export type Outcome = 'done' | 'refused' | 'failed' | 'unknown';

export function outcomeOf({ responseStatus }: AuditEvent): Outcome {
  const code = responseStatus?.code;
  if (code === undefined || code === 0) return 'unknown';
  if (code < 400) return 'done';
  return code === 401 || code === 403 ? 'refused' : 'failed';
}

const QUERY_CHANGES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);
/** Connections and requests for credentials: they take effect regardless of their query. */
const NON_MUTATING_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'token']);

/**
 * Whether the request was a dry run, according to the event. For a deletion only the server's annotation is used: if it
 * has a body, the server ignores the query, so the query could falsely claim a dry run.
 */
export function isDryRun({ verb, objectRef, requestURI = '', annotations = {} }: AuditEvent): boolean {
  if (NON_MUTATING_SUBRESOURCES.has(objectRef?.subresource ?? '')) return false;
  if (verb === 'delete' || verb === 'deletecollection') return annotations[DRY_RUN] === 'true';
  if (!QUERY_CHANGES.has(verb)) return false;
  const mark = requestURI.indexOf('?');
  // The first `?` separates the query; a second one is part of it.
  return mark >= 0 && new URLSearchParams(requestURI.slice(mark)).getAll('dryRun').includes('All');
}

/** Why the request was allowed or denied, such as the RBAC role. */
export function authorizationReason({ annotations = {} }: AuditEvent): string | undefined {
  return annotations['authorization.k8s.io/reason'] || undefined;
}

/** Identifies an event. The auditID alone is not sufficient: clients choose it and may use it twice. */
export function eventKey({ auditID, stageTimestamp }: AuditEvent): string {
  return `${stageTimestamp} ${auditID}`;
}
