import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { peerNetwork } from '@fairway/apiserver/server/peer-network';
import type { Clock } from '@fairway/base/clock';
import { GroupedSets } from '@fairway/base/grouped-sets';
import type { Registry } from 'prom-client';
import { usageError } from '../command-error.ts';
import type { ListenAddress } from './listen-address.ts';

const MAX_CONNECTIONS = 64;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node checks for expired timeouts. */
const CHECK_INTERVAL_MS = 1_000;
const READING_TTL_MS = 1_000;

export interface MetricsListener {
  readonly port: number;
  /** Closes open connections. */
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, and `/healthz` for probes, over HTTP to any client that reaches the address. It is for replicas
 * without a gateway, which lack permission to authenticate users. Metrics are collected once a second,
 * however often they are scraped. Rejects with a CommandError if it can't listen on the address.
 */
export async function listenForMetrics(
  { host, port }: ListenAddress,
  registry: Registry,
  clock: Clock,
): Promise<MetricsListener> {
  let reading: Promise<string> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  const read = () => {
    if (reading === undefined || clock.now() - readMs >= READING_TTL_MS) {
      reading = registry.metrics();
      readMs = clock.now();
    }
    return reading;
  };
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  };
  const server = createServer(limits, (request, response) => {
    void respond(request, response, registry.contentType, read).catch(() => {
      if (response.headersSent) response.destroy();
      else end(response, 500, 'could not collect metrics\n');
    });
  });
  const connections = new Connections();
  server.on('connection', (socket: Socket) => connections.accept(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`--metrics-listen ${host}:${port}: ${error.message}`, 'choose another address', error)),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * At most `MAX_CONNECTIONS` connections. Beyond this limit, the oldest connection from the address with the most
 * connections is closed: rejecting a probe would restart Fairway.
 */
class Connections {
  /** Open connections by address. */
  readonly #open = new GroupedSets<Socket>();

  accept(socket: Socket): void {
    const address = peerNetwork(socket.remoteAddress ?? '');
    this.#open.add(address, socket);
    socket.once('close', () => this.#open.delete(address, socket));
    if (this.#open.size <= MAX_CONNECTIONS) return;
    const { largest = address } = this.#open;
    const oldest = this.#open.oldestOf(largest);
    if (oldest === undefined) return;
    this.#open.delete(largest, oldest);
    oldest.destroy();
  }
}

async function respond(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  contentType: string,
  read: () => Promise<string>,
): Promise<void> {
  const [path] = url.split('?');
  if (method !== 'GET' && method !== 'HEAD') end(response, 405, 'only GET is supported\n');
  else if (path === '/healthz') end(response, 200, 'ok');
  else if (path === '/metrics') end(response, 200, await read(), contentType);
  else end(response, 404, 'not found; available paths are /metrics and /healthz\n');
}

function end(response: ServerResponse, status: number, body: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' }).end(body);
}
