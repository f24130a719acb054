import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Destination, Outbound, OutboundCall } from '../../outbound/outbound-client.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { resourceList } from './extension-server.ts';

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** A network of API servers with scripted responses, without sockets. */
export class FakeOutbound implements Outbound {
  readonly calls: string[] = [];
  /** Maximum number of concurrent calls. */
  maxConcurrentCalls = 0;
  /** The response to a call; by default discovery works, and other calls get no response. */
  response: (call: OutboundCall, destination: Destination) => FakeResponse | Promise<FakeResponse> = ({ path }) => {
    const [, group, version, ...rest] = path.slice(1).split('/');
    if (!path.startsWith('/apis/') || rest.length > 0) throw new OutboundError('EOF');
    return { body: JSON.stringify(resourceList(`${group}/${version}`)) };
  };
  #waiting = 0;

  async request(destination: Destination, call: OutboundCall): Promise<IncomingMessage> {
    this.calls.push(`${call.method} ${call.path}`);
    this.maxConcurrentCalls = Math.max(this.maxConcurrentCalls, ++this.#waiting);
    try {
      const { status = 200, headers = {}, body } = await this.response(call, destination);
      const readable = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
      return Object.assign(readable, { statusCode: status, headers }) as unknown as IncomingMessage;
    } finally {
      this.#waiting--;
    }
  }

  /** Number of calls to this path. */
  callCount(path: string): number {
    return this.calls.filter((call) => call === `GET ${path}`).length;
  }
}
