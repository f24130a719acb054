import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@fairway/base/clock';

/** As a kubelet's `streamingConnectionIdleTimeout`. */
const IDLE_MS = 4 * 3_600_000;

/** Passes bytes on between two connections, each way as fast as they are taken. Where one ends or breaks, or neither says anything for hours, both end. */
export function joinStreams(one: Duplex, other: Duplex, clock: Clock): void {
  let movedMs = clock.now();
  let timer: Timer | undefined;
  const check = () => {
    const leftMs = movedMs + IDLE_MS - clock.now();
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
      movedMs = clock.now();
    });
    from.on('error', end);
    // What has ended in order is passed on to its last byte; a socket whose other end has ended finishes by itself.
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
