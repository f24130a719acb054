import type { Readable } from 'node:stream';
import { TransportError, type TransportResponse } from '@fairway/kube/client/transport';

/**
 * Maximum number of bytes read from a response from another server, which a tenant controls. It allows 8 KB for each
 * object of a 500-object page. A response of this size that is filled with empty objects takes 90 MB and 0.1 s of the
 * event loop; at four times the size it would take a second.
 */
const MAX_CHARS = 4 * 1024 * 1024;

/** Another server's response to an in-process request. Rejects with a TransportError if it is too large or incomplete. */
export function readableResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Readable,
  release: (() => void) | undefined,
): TransportResponse {
  body.once('close', () => release?.());
  // Errors are passed to the reader; without a reader, they are ignored.
  body.on('error', () => {});
  return {
    status,
    headers,
    async text() {
      let text = '';
      for await (const chunk of chunks(body)) {
        text += chunk;
        if (text.length > MAX_CHARS) throw new TransportError(`the answer has more than ${MAX_CHARS} characters`);
      }
      return text;
    },
    async *lines() {
      let rest = '';
      for await (const chunk of chunks(body)) {
        rest += chunk;
        if (rest.length > MAX_CHARS) throw new TransportError(`a line has more than ${MAX_CHARS} characters`);
        // A long line is scanned once it is complete, not with each chunk.
        if (!chunk.includes('\n')) continue;
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') yield line;
      }
      if (rest !== '') yield rest;
    },
  };
}

async function* chunks(body: Readable): AsyncGenerator<string> {
  body.setEncoding('utf8');
  try {
    for await (const chunk of body as AsyncIterable<string>) yield chunk;
  } catch (error) {
    throw new TransportError('the answer broke off', { cause: error });
  }
}
