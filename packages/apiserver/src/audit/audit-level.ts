/** How much of a request an event holds, the least first: nothing, who asked for what, what he sent, what he got. */
export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** Stages that a policy can name; of these events have `ResponseStarted`, for watches, and `ResponseComplete`. */
export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

/** The stage of the request when the event was generated; a watch has only started. */
export type AuditStage = Extract<(typeof AUDIT_STAGES)[number], 'ResponseStarted' | 'ResponseComplete'>;

/** Whether one level holds all that another does. */
export function isAtLeast(level: AuditLevel, other: AuditLevel): boolean {
  return AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(other);
}

/** The one of two levels that holds less. */
export function lesserLevel(a: AuditLevel, b: AuditLevel): AuditLevel {
  return isAtLeast(a, b) ? b : a;
}
