import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fairway/kube/client/transport';

/** A caller from another API in this process. */
export interface InProcessCaller {
  readonly bearerToken: string;
  /** Address of the client that sent the request, for the audit log. */
  readonly peer: string;
}

/**
 * An entry point to the gateway for other APIs in its process: the same handler, with the caller's own token, over
 * in-memory connections. Callers from another API are therefore authenticated, impersonated, limited and audited as if
 * they had called the gateway directly. Watches are not served.
 */
export class InProcessEntryPoint {
  readonly #server: Server;

  constructor(handler: (request: IncomingMessage, response: ServerResponse) => void) {
    // This server never listens.
    this.#server = createServer({ insecureHTTPParser: false }, handler);
  }

  connect({ bearerToken, peer }: InProcessCaller): Transport {
    const open = new Set<Duplex>();
    const connection = () => {
      const [client, server] = duplexPair();
      open.add(client);
      client.once('close', () => open.delete(client));
      this.#server.emit('connection', Object.assign(server, { remoteAddress: peer }));
      return client;
    };
    return {
      request: (request) => send(request, { connection, authorization: `Bearer ${bearerToken}` }),
      close: () => {
        for (const client of open) client.destroy();
      },
    };
  }
}

function send(
  { method, path, headers, body = '', signal }: TransportRequest,
  { connection, authorization }: { readonly connection: () => Duplex; readonly authorization: string },
): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  const failed = (error: unknown) =>
    reject(
      signal?.aborted ? signal.reason : new TransportError(`${method} ${path}: ${String(error)}`, { cause: error }),
    );
  const outgoing = httpRequest({
    createConnection: connection,
    method,
    path,
    headers: { ...headers, host: 'fairway', authorization, 'content-length': Buffer.byteLength(body) },
    ...(signal && { signal }),
  });
  outgoing.on('error', failed);
  outgoing.once('response', (upstreamResponse) => {
    text(upstreamResponse).then((bodyText) => resolve(responseOf(upstreamResponse, bodyText)), failed);
  });
  outgoing.end(body);
  return promise;
}

function responseOf({ statusCode = 0, headers }: IncomingMessage, bodyText: string): TransportResponse {
  const flatHeaders = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: statusCode,
    headers: Object.fromEntries(flatHeaders),
    text: () => Promise.resolve(bodyText),
    async *lines() {
      for (const line of bodyText.split('\n')) if (line !== '') yield line;
    },
  };
}
