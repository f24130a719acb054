import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@fairway/base/clock';

/** Like a kubelet's `streamingConnectionIdleTimeout`. */
const IDLE_MS = 4 * 3_600_000;

/**
 * Forwards bytes between two connections at each receiver's speed. If one ends or breaks, or both are idle for hours,
 * both end.
 */
export function joinStreams(one: Duplex, other: Duplex, clock: Clock): void {
  let lastActivityMs = clock.now();
  let timer: Timer | undefined;
  const check = () => {
    const leftMs = lastActivityMs + IDLE_MS - clock.now();
    if (leftMs <= 0) end();
    else timer = clock.after(leftMs, check);
  };
  const end = () => {
    timer?.cancel();
    one.destroy();
    other.destroy();
  };
  check();
  passOn(one, other);
  passOn(other, one);

  function passOn(from: Duplex, to: Duplex): void {
    from.on('data', () => {
      lastActivityMs = clock.now();
    });
    from.on('error', end);
    // After a regular end, all bytes are still delivered; a half-closed socket finishes on its own.
    from.once('close', () => {
      if (!from.readableEnded) end();
    });
    to.once('finish', () => {
      if (from.readableEnded) end();
    });
    if (from.destroyed) end();
    else from.pipe(to);
  }
}
