import type { IncomingMessage } from 'node:http';
import type { AuditTrail } from '@fairway/apiserver/audit/audit-trail';
import { MAX_EVENT_CHARS } from '@fairway/apiserver/audit/audited-body';
import { z } from 'zod';
import { NameScanner } from './name-scanner.ts';

/** The part of a Status that an audit event contains; its size is bounded. */
export const FailureStatus = z.object({
  message: z.string().optional(),
  reason: z.string().optional(),
  details: z
    .object({ name: z.string(), group: z.string(), kind: z.string(), uid: z.string(), retryAfterSeconds: z.number() })
    .partial()
    .optional(),
});
export type FailureStatus = z.infer<typeof FailureStatus>;

/** Reasons whose details name the object itself, not its namespace or what it refers to. */
const OF_THE_OBJECT: ReadonlySet<string | undefined> = new Set(['AlreadyExists', 'Invalid']);
/** For a longer Status only the code is recorded. */
const MAX_STATUS_BYTES = 64 * 1024;

/**
 * Extracts from a streaming response what the request itself did not say: why it failed, or the name of what was created; all of it, if the audit event
 * quotes it. Never delays the stream, and buffers at most 64 KiB of it, 100 KiB for a quotation.
 */
export function factsOf(answer: IncomingMessage, trail: AuditTrail, onFailure: (status: FailureStatus) => void): void {
  if (trail.wantsAnswer) readBody(answer, MAX_EVENT_CHARS, (body) => trail.answered(body));
  if ((answer.statusCode ?? 0) >= 400) {
    readStatus(answer, (status) => {
      onFailure(status);
      if (createsByName(trail) && OF_THE_OBJECT.has(status.reason)) trail.named(status.details?.name ?? '');
    });
  } else if (createsByName(trail)) {
    const scanner = new NameScanner();
    const onData = (chunk: Buffer) => {
      const name = scanner.scan(chunk);
      if (name === undefined) return;
      trail.named(name);
      answer.off('data', onData);
    };
    answer.on('data', onData);
  }
}

/** Whether the object's name is in the body only. */
export function createsByName({ verb, resource }: AuditTrail): boolean {
  return verb === 'create' && resource?.name === '';
}

function readStatus(answer: IncomingMessage, onFailure: (status: FailureStatus) => void): void {
  readBody(answer, MAX_STATUS_BYTES, (body) => {
    const status = FailureStatus.safeParse('text' in body ? undefined : parsed(Buffer.from(body).toString()));
    if (status.success) onFailure(status.data);
  });
}

/** Calls back with the whole body, or with its length alone if that is more than `maxBytes`. */
function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  onBody: (body: Uint8Array | { readonly length: number; text(): string }) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  answer.on('end', () => onBody(bytes <= maxBytes ? Buffer.concat(chunks) : { length: bytes, text: () => '' }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
