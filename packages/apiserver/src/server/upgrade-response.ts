import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a request may be upgraded to another protocol. Called as soon as the head of the request has arrived. */
export type MayUpgrade = (request: IncomingMessage) => boolean;

export const neverUpgrade: MayUpgrade = () => false;

/**
 * The response to an upgrade request. Nothing is read from the connection until the other protocol starts. Any other
 * response is the connection's last.
 */
export class UpgradeResponse extends ServerResponse {
  /** Throws if an earlier request on the connection is still pending. */
  constructor(request: IncomingMessage, head: Uint8Array) {
    super(request);
    const { socket } = request;
    this.shouldKeepAlive = false;
    this.assignSocket(socket);
    // Node has released the connection, so errors need a handler.
    socket.on('error', () => {});
    this.once('finish', () => socket.destroySoon());
    if (head.length > 0) socket.unshift(head);
  }

  /** Starts the other protocol and returns the connection. */
  switchProtocols(headers: Readonly<Record<string, string>>): Duplex {
    this.writeHead(101, headers);
    this.flushHeaders();
    this.detachSocket(this.req.socket);
    return this.req.socket;
  }
}

/** Rejects upgrade requests with a body: it would be unclear where the other protocol starts. */
export function isBodiless({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
}
