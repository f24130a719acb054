import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a request is one of those that may be followed by bytes of another protocol. It is asked as soon as the head of the request is there. */
export type MayUpgrade = (request: IncomingMessage) => boolean;

export const neverUpgrade: MayUpgrade = () => false;

/**
 * The answer to a request that asks for another protocol. Nothing is read of the connection until the other protocol begins; any other answer is the
 * connection's last.
 */
export class UpgradeResponse extends ServerResponse {
  /** Throws where an earlier request of the connection has no answer yet. */
  constructor(request: IncomingMessage, head: Uint8Array) {
    super(request);
    const { socket } = request;
    this.shouldKeepAlive = false;
    this.assignSocket(socket);
    // Node has let go of the connection: its errors would be nobody's.
    socket.on('error', () => {});
    this.once('finish', () => socket.destroySoon());
    if (head.length > 0) socket.unshift(head);
  }

  /** Begins the other protocol, and gives the connection. */
  switchProtocols(headers: Readonly<Record<string, string>>): Duplex {
    this.writeHead(101, headers);
    this.flushHeaders();
    this.detachSocket(this.req.socket);
    return this.req.socket;
  }
}

/** Without a body, after which nobody could tell where the other protocol begins. */
export function isBodiless({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
}
