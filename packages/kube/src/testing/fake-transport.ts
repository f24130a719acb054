import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';

/** The response to a request; 200 and an empty object by default. */
export interface FakeResponse {
  readonly status?: number;
  readonly body?: object;
}

/** An API server implemented as a function of the request; records the requests. */
export class FakeTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #respond: (request: TransportRequest) => FakeResponse | undefined;

  constructor(respond: (request: TransportRequest) => FakeResponse | undefined = () => undefined) {
    this.#respond = respond;
  }

  /** Method and path of each request without the query, in order. */
  get requestLines(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    await nextTurn();
    const { status = 200, body = {} } = this.#respond(request) ?? {};
    const text = JSON.stringify(body);
    return { status, headers: { 'content-type': 'application/json' }, text: () => Promise.resolve(text), lines };
  }

  close(): void {}
}

async function* lines(): AsyncGenerator<string> {}
