import type { IncomingMessage } from 'node:http';
import type { Clock } from '@fairway/base/clock';
import { MAX_BODY_BYTES } from '../server/body-bounds.ts';
import { DEADLINE_EXCEEDED, OutboundError } from './outbound-error.ts';

/** The body as text. Rejects if it is too large or too slow. */
export async function readBounded(
  incoming: IncomingMessage,
  clock: Clock,
  timeoutMs: number,
  maxBytes = MAX_BODY_BYTES,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isLate = false;
  const timer = clock.after(timeoutMs, () => {
    isLate = true;
    incoming.destroy(new Error(DEADLINE_EXCEEDED));
  });
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new OutboundError(`the answer has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    throw new OutboundError(isLate ? DEADLINE_EXCEEDED : 'unexpected EOF', { cause: error });
  } finally {
    timer.cancel();
  }
  return Buffer.concat(chunks).toString();
}
