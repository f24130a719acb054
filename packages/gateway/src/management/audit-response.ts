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

/** Reasons whose details name the object itself, not its namespace or a referenced object. */
const METADATA_FIELDS: ReadonlySet<string | undefined> = new Set(['AlreadyExists', 'Invalid']);
/** For a longer Status only the code is recorded. */
const MAX_STATUS_BYTES = 64 * 1024;

/**
 * Extracts from a streaming response what the request did not contain: the reason for a failure, or the name of a
 * created object. If the audit event quotes the response, extracts the whole body. Never delays the stream, and buffers
 * at most 64 KiB of it, or 100 KiB for a quotation.
 */
export function auditResponse(
  upstreamResponse: IncomingMessage,
  trail: AuditTrail,
  onFailure: (status: FailureStatus) => void,
): void {
  if (trail.wantsResponseBody) readBody(upstreamResponse, MAX_EVENT_CHARS, (body) => trail.recordResponse(body));
  if ((upstreamResponse.statusCode ?? 0) >= 400) {
    readStatus(upstreamResponse, (status) => {
      onFailure(status);
      if (createsByName(trail) && METADATA_FIELDS.has(status.reason)) trail.setName(status.details?.name ?? '');
    });
  } else if (createsByName(trail)) {
    const scanner = new NameScanner();
    const onData = (chunk: Buffer) => {
      const name = scanner.scan(chunk);
      if (name === undefined) return;
      trail.setName(name);
      upstreamResponse.off('data', onData);
    };
    upstreamResponse.on('data', onData);
  }
}

/** Whether the object's name is only in the body. */
export function createsByName({ verb, resource }: AuditTrail): boolean {
  return verb === 'create' && resource?.name === '';
}

function readStatus(upstreamResponse: IncomingMessage, onFailure: (status: FailureStatus) => void): void {
  readBody(upstreamResponse, MAX_STATUS_BYTES, (body) => {
    const status = FailureStatus.safeParse('text' in body ? undefined : parsed(Buffer.from(body).toString()));
    if (status.success) onFailure(status.data);
  });
}

/** Calls back with the whole body, or only with its length if that exceeds `maxBytes`. */
function readBody(
  upstreamResponse: IncomingMessage,
  maxBytes: number,
  onBody: (body: Uint8Array | { readonly length: number; text(): string }) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  upstreamResponse.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  upstreamResponse.on('end', () =>
    onBody(bytes <= maxBytes ? Buffer.concat(chunks) : { length: bytes, text: () => '' }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
