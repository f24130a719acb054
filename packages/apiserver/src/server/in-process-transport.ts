import { Readable } from 'node:stream';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fairway/kube/client/transport';
import { ListText } from './list-text.ts';
import { readableResponse } from './readable-response.ts';
import type { ApiRequest, ApiResponse, LineStream } from './request.ts';
import { splitTarget } from './split-target.ts';

export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Maximum lines and characters buffered before the watch is paused. The reader may forward them to a slow client. */
const MAX_QUEUED_LINES = 256;
const MAX_QUEUED_CHARS = 64 * 1024;

/** Calls an embedded server in this process, with the same requests and responses but without sockets. */
export function inProcessTransport(handle: Handle): Transport {
  const open = new Set<OpenBody>();
  let closed = false;
  return {
    async request(request: TransportRequest): Promise<TransportResponse> {
      if (closed) throw new TransportError('transport is closed');
      request.signal?.throwIfAborted();
      const response = await handle(apiRequestOf(request));
      const { status, headers, release } = response;
      const body = response.body instanceof ListText ? response.body.text() : response.body;
      if (typeof body === 'string' || body instanceof Uint8Array) {
        release?.();
        return textResponse(status, headers, body);
      }
      if (body instanceof Readable) {
        const running: OpenBody = { fail: (error) => body.destroy(error) };
        open.add(running);
        body.once('close', () => open.delete(running));
        return readableResponse(status, headers, body, release);
      }
      const queue = new LineQueue(body, { signal: request.signal, open, onEnd: release });
      return {
        status,
        headers,
        lines: () => queue.lines(),
        async text() {
          let text = '';
          for await (const line of queue.lines()) text += `${line}\n`;
          return text;
        },
      };
    },
    close() {
      closed = true;
      for (const queue of open) queue.fail(new TransportError('transport is closed'));
    },
  };
}

function apiRequestOf({ method, path, headers = {}, body = '', signal }: TransportRequest): ApiRequest {
  const lowerCase: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lowerCase[name.toLowerCase()] = value;
  return {
    method,
    ...splitTarget(path),
    headers: lowerCase,
    readBytes: () => Promise.resolve(Buffer.from(body)),
    readContent: () => Promise.resolve({ headers: lowerCase, body }),
    signal,
  };
}

function textResponse(status: number, headers: ApiResponse['headers'], body: string | Uint8Array): TransportResponse {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  return {
    status,
    headers,
    text: () => Promise.resolve(text),
    async *lines() {
      for (const line of text.split('\n')) if (line !== '') yield line;
    },
  };
}

/** The body of a streaming response. */
interface OpenBody {
  fail(error: Error): void;
}

interface LineQueueOptions {
  readonly signal: AbortSignal | undefined;
  /** The underlying stream while it is open. */
  readonly open: Set<OpenBody>;
  readonly onEnd: (() => void) | undefined;
}

/** A buffer of lines between a watch and its reader. */
class LineQueue implements OpenBody {
  readonly #stream: LineStream;
  readonly #open: Set<OpenBody>;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: (() => void) | undefined;
  readonly #onAbort = () => this.fail(this.#signal?.reason);
  #lines: string[] = [];
  #next = 0;
  #chars = 0;
  #isBlocked = false;
  #isDone = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(stream: LineStream, { signal, open, onEnd }: LineQueueOptions) {
    this.#stream = stream;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#open = open;
    open.add(this);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    stream.start({
      send: (line) => {
        this.#lines.push(line.text);
        this.#chars += line.text.length;
        this.#wake?.();
        this.#isBlocked = this.#lines.length - this.#next >= MAX_QUEUED_LINES || this.#chars >= MAX_QUEUED_CHARS;
        return !this.#isBlocked;
      },
      end: () => this.#finish(),
    });
    // The request may have been aborted while the response was created.
    if (signal?.aborted) this.#onAbort();
  }

  async *lines(): AsyncGenerator<string> {
    try {
      for (;;) {
        while (this.#next < this.#lines.length) {
          if (this.#error !== undefined) throw this.#error;
          const line = this.#lines[this.#next++] as string;
          this.#chars -= line.length;
          yield line.trimEnd();
        }
        this.#lines = [];
        this.#next = 0;
        if (this.#error !== undefined) throw this.#error;
        if (this.#isBlocked && !this.#isDone) {
          this.#isBlocked = false;
          this.#stream.resume();
          continue;
        }
        if (this.#isDone) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      this.#stream.stop();
      this.#finish();
    }
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.#stream.stop();
    this.#finish();
  }

  #finish(): void {
    if (!this.#isDone) {
      this.#signal?.removeEventListener('abort', this.#onAbort);
      this.#onEnd?.();
    }
    this.#isDone = true;
    this.#open.delete(this);
    this.#wake?.();
  }
}
