import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import { z } from 'zod';
import type { AuditEvent } from './audit-event.ts';
import { AUDIT_LEVELS, AUDIT_STAGES } from './audit-level.ts';

/** In microseconds, as in kube-apiserver. */
const MicroTime = z.string().regex(/^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\.\d{6}Z$/);
/** Events from API servers are never longer than this, even after being shortened. */
const MAX_CHARS = 400 * 1024;
const Text = z.string();
const Users = z.object({
  username: Text.optional(),
  uid: Text.optional(),
  groups: z.array(Text).optional(),
  extra: z.record(Text, z.array(Text)).optional(),
});
const Event = z.object({
  kind: z.literal('Event'),
  apiVersion: z.literal('audit.k8s.io/v1'),
  level: z.enum(AUDIT_LEVELS).exclude(['None']),
  auditID: Text.min(1).max(256),
  stage: z.enum(AUDIT_STAGES),
  requestURI: Text,
  verb: Text,
  user: Users.default({}),
  impersonatedUser: Users.optional(),
  sourceIPs: z.array(Text).optional(),
  userAgent: Text.optional(),
  objectRef: z
    .object({
      resource: Text.default(''),
      namespace: Text.optional(),
      name: Text.optional(),
      apiGroup: Text.optional(),
      apiVersion: Text.default(''),
      subresource: Text.optional(),
    })
    .optional(),
  responseStatus: z
    .object({
      status: Text.optional(),
      message: Text.optional(),
      reason: Text.optional(),
      code: z.int().min(0).max(999).optional(),
    })
    .optional(),
  requestObject: z.unknown().optional(),
  responseObject: z.unknown().optional(),
  requestReceivedTimestamp: MicroTime,
  stageTimestamp: MicroTime,
  annotations: z.record(Text, Text).optional(),
});

/**
 * Reads an event from another program's log, which may be hostile. Only the fields of an `audit.k8s.io/v1` Event are
 * kept, each type-checked. Undefined if it is not an event. Never throws.
 */
export function foreignEvent(line: string): AuditEvent | undefined {
  if (line.length > MAX_CHARS) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  // Objects nested more deeply can't be serialized.
  if (typeof measureJson(value, { maxDepth: MAX_DEPTH, maxChars: MAX_CHARS }) !== 'number') return undefined;
  const parsed = Event.safeParse(value);
  if (!parsed.success) return undefined;
  const { responseStatus, ...event } = parsed.data;
  return { ...event, ...(responseStatus && { responseStatus: { metadata: {}, ...responseStatus } }) } as AuditEvent;
}
