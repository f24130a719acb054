import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  TransportError,
} from '@fairway/openstack/http/transport';
import type { Cloud } from '@fairway/simulator/cloud';

/**
 * A transport without sockets to a simulated cloud in the same process. A request and its response each take a turn of
 * the event loop, so requests overlap as over a network, and a clock can tell exactly when none is left.
 */
export class CloudTransport implements HttpTransport {
  readonly #cloud: Cloud;
  readonly #closed = new AbortController();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const signals = [signal, this.#closed.signal];
    const onAbort = () => reject(signals.find(({ aborted }) => aborted)?.reason);
    if (signals.some(({ aborted }) => aborted)) onAbort();
    for (const each of signals) each.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([ended, this.#exchange(request, signal)]);
    } finally {
      for (const each of signals) each.removeEventListener('abort', onAbort);
    }
  }

  close(): Promise<void> {
    this.#closed.abort(new TransportError('the transport was closed', { mayHaveArrived: true }));
    return Promise.resolve();
  }

  async #exchange(
    { method, url, headers, body = '', beforeWrite }: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    beforeWrite?.();
    await nextTurn();
    const response = await this.#cloud.handleRequest({
      method,
      url: new URL(url),
      headers: withLowerCaseNames(headers),
      readBody: () => Promise.resolve(Buffer.from(body)),
      isDisconnected: () => signal.aborted,
    });
    await nextTurn();
    if (response === undefined) throw new TransportError('other side closed', { mayHaveArrived: true });
    return {
      status: response.status,
      headers: withLowerCaseNames(response.headers),
      body: Buffer.from(response.body).toString(),
    };
  }
}

function withLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
