import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * kubelet closes a stream that is idle for four hours (streamingConnectionIdleTimeout). A connection that is idle for
 * longer is dead.
 */
const IDLE_TIMEOUT_MS = 5 * 3_600_000;
/** Time to send remaining data after the other side has closed. */
const LINGER_TIMEOUT_MS = 60_000;

/** Copies bytes both ways with backpressure, until both sides have ended. */
export function tunnel(client: Socket, upstream: Duplex): void {
  if (upstream.destroyed) return void client.destroy();
  // All bytes in both directions pass through the client socket, so its timeout covers both.
  client.setTimeout(IDLE_TIMEOUT_MS, () => client.destroy());
  for (const [stream, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    stream.on('error', () => stream.destroy());
    stream.once('close', () => destroySoon(other));
    stream.pipe(other);
  }
}

/** Like `destroySoon` of sockets, but with a time limit: a peer that does not read cannot keep the stream open. */
function destroySoon(stream: Duplex): void {
  const timer = setTimeout(() => stream.destroy(), LINGER_TIMEOUT_MS).unref();
  stream.once('close', () => clearTimeout(timer));
  stream.end(() => stream.destroy());
}
