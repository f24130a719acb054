import type { IncomingMessage } from 'node:http';
import { type Span, versionName } from '@fairway/base/tracing';
import { z } from 'zod';

/** The part of a written object that names its version. */
const Written = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });

/** Later reconciles of a larger object begin their own trace. */
const MAX_BYTES = 256 * 1024;

/** Records the object version in the response to a write, while it streams, so that later reconciles continue the trace. */
export function noteWrittenVersion(answer: IncomingMessage, span: Span): void {
  if ((answer.statusCode ?? 0) >= 300) return;
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  answer.once('end', () => {
    const written = Written.safeParse(parsed(Buffer.concat(chunks).toString()));
    if (!written.success) return;
    const { uid, resourceVersion } = written.data.metadata;
    const version = versionName(uid, resourceVersion);
    if (version !== undefined) span.wrote(version);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
