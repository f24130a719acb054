import type { Socket } from 'node:net';

/** kubelet closes a stream that is idle for four hours (streamingConnectionIdleTimeout); anything idle for longer is dead. */
const IDLE_TIMEOUT_MS = 5 * 3_600_000;
/** Detects peers that disappeared without closing. */
const KEEP_ALIVE_MS = 60_000;

/** Copies bytes both ways with backpressure, until both sides have ended. */
export function tunnel(client: Socket, upstream: Socket): void {
  upstream.setKeepAlive(true, KEEP_ALIVE_MS);
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => other.destroySoon());
    socket.pipe(other);
  }
}
