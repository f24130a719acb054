import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** kubelet closes a stream that is idle for four hours (streamingConnectionIdleTimeout); anything idle for longer is dead. */
const IDLE_TIMEOUT_MS = 5 * 3_600_000;

/** Copies bytes both ways with backpressure, until both sides have ended. */
export function tunnel(client: Socket, upstream: Duplex): void {
  // All bytes pass through it.
  client.setTimeout(IDLE_TIMEOUT_MS, () => client.destroy());
  for (const [stream, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    stream.on('error', () => stream.destroy());
    stream.once('close', () => other.end(() => other.destroy()));
    stream.pipe(other);
  }
}
