import type { Readable } from 'node:stream';
import { TransportError, type TransportResponse } from '@fairway/kube/client/transport';

/**
 * What this process reads of another server's answer: it is a tenant's. A page of 500 objects has 8 KB for each; as empty objects it is 90 MB and 0.1 s
 * of the event loop, at four times the size a second.
 */
const MAX_CHARS = 4 * 1024 * 1024;

/** What another server answers to a request of this process. Rejects with a TransportError what is too large, and what breaks off. */
export function readableResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Readable,
  release: (() => void) | undefined,
): TransportResponse {
  body.once('close', () => release?.());
  // An error is the reader's; whoever reads nothing has none.
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
        // A long line is looked at when its end is there, not with each of its parts.
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
