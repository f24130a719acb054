/** How much of a request an event contains, in ascending order: nothing, metadata, the request body, the response body. */
export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** Stages that policies can name; events have only `ResponseStarted`, for watches, and `ResponseComplete`. */
export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

/** The request's stage when the event is generated; a watch has only started by then. */
export type AuditStage = Extract<(typeof AUDIT_STAGES)[number], 'ResponseStarted' | 'ResponseComplete'>;

/** Whether one level includes another. */
export function isAtLeast(level: AuditLevel, other: AuditLevel): boolean {
  return AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(other);
}

/** The lower of two levels. */
export function lesserLevel(a: AuditLevel, b: AuditLevel): AuditLevel {
  return isAtLeast(a, b) ? b : a;
}
