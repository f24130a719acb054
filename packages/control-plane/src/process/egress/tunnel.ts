import type { Socket } from 'node:net';

/** kubelet ends a stream that has been idle for four hours (streamingConnectionIdleTimeout); what is silent for longer is dead. */
const IDLE_TIMEOUT_MS = 5 * 3_600_000;
/** Finds peers that went away without a word. */
const KEEP_ALIVE_MS = 60_000;

/** Carries bytes both ways until both sides have ended, no faster than the slower one takes them. */
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
