import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FakeClock } from '@fairway/base/clock-fake';
import type { HttpRequest, HttpResponse, HttpTransport } from '../http/transport.ts';
import { UndiciTransport } from '../http/undici-transport.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

/** `hang` never responds; `reset` breaks the connection after the request has arrived. */
export type Behaviour = Reply | 'hang' | 'reset';

/** A loopback HTTP server with scripted responses that records requests. */
export class FakeServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #server;
  readonly #transport = new UndiciTransport({ tls: { verify: true }, connections: 8, connectTimeoutMs: 5_000 });
  #inFlight = 0;

  constructor(respond: (request: ReceivedRequest, index: number) => Behaviour) {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const request = {
          method: incoming.method ?? '',
          path: incoming.url ?? '',
          headers: incoming.headers,
          body: text === '' ? undefined : (JSON.parse(text) as unknown),
        };
        this.requests.push(request);
        const reply = respond(request, this.requests.length - 1);
        if (reply === 'hang') return;
        if (reply === 'reset') {
          incoming.socket.destroy();
          return;
        }
        const { status = 200, headers = {}, body = '' } = reply;
        const isJson = typeof body === 'object';
        outgoing.writeHead(status, { ...(isJson && { 'content-type': 'application/json' }), ...headers });
        outgoing.end(isJson ? JSON.stringify(body) : body);
      });
    });
  }

  /** Counts calls in flight, so {@link run} can tell when only timers are pending. */
  readonly transport: HttpTransport = {
    send: async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
      this.#inFlight += 1;
      try {
        return await this.#transport.send(request, signal);
      } finally {
        this.#inFlight -= 1;
      }
    },
    close: () => this.#transport.close(),
  };

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Awaits `call`, advancing the clock whenever only timers are pending. */
  async run<T>(clock: FakeClock, call: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    call.then(settle, settle);
    let idleTurns = 0;
    for (;;) {
      await setImmediate();
      if (isSettled) return call;
      idleTurns = this.#inFlight === 0 ? idleTurns + 1 : 0;
      if (idleTurns > 3 && clock.nextDueMs !== undefined) {
        await clock.advance(clock.nextDueMs);
        idleTurns = 0;
      }
    }
  }

  /** Resolves when the server has received this many requests. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) await setImmediate();
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
