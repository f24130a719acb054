import type { IncomingMessage } from 'node:http';
import { type Span, versionName } from '@fairway/base/tracing';
import { z } from 'zod';

/** The part of a written object that identifies its version. */
const WrittenObject = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });

/** Later reconciles of a larger object begin their own trace. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Records the object's version from the response to a write while the response is streamed, so that later reconciles
 * continue the trace.
 */
export function recordWrittenVersion(upstreamResponse: IncomingMessage, span: Span): void {
  if ((upstreamResponse.statusCode ?? 0) >= 300) return;
  const chunks: Buffer[] = [];
  let bytes = 0;
  upstreamResponse.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  upstreamResponse.once('end', () => {
    const writtenMetadata = WrittenObject.safeParse(parsed(Buffer.concat(chunks).toString()));
    if (!writtenMetadata.success) return;
    const { uid, resourceVersion } = writtenMetadata.data.metadata;
    const version = versionName(uid, resourceVersion);
    if (version !== undefined) span.recordWrite(version);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
