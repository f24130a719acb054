import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';

/** The response to a request; 200 and an empty object by default. */
export interface Answer {
  readonly status?: number;
  readonly body?: object;
}

/** An API server implemented as a function of the request; records the requests. */
export class AnsweringTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #answer: (request: TransportRequest) => Answer | undefined;

  constructor(answer: (request: TransportRequest) => Answer | undefined = () => undefined) {
    this.#answer = answer;
  }

  /** Method and path without the query, in order. */
  get asked(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    await nextTurn();
    const { status = 200, body = {} } = this.#answer(request) ?? {};
    const text = JSON.stringify(body);
    return { status, headers: { 'content-type': 'application/json' }, text: () => Promise.resolve(text), lines };
  }

  close(): void {}
}

async function* lines(): AsyncGenerator<string> {}
