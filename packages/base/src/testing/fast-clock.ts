import { type Clock, sleepOn, systemClock, type Timer } from '../clock.ts';

/**
 * Real time, `speed` times as fast, for tests whose components communicate over real sockets, where a fake clock can't
 * be advanced. A wait of a minute takes a second.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #startMs = systemClock.now();
  readonly #origin = performance.now();
  #skippedMs = 0;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#startMs + this.#skippedMs + (performance.now() - this.#origin) * this.#speed);
  }

  /** Jumps forward; pending timers are not affected. */
  skip(ms: number): void {
    this.#skippedMs += ms;
  }

  after(delayMs: number, callback: () => void): Timer {
    return systemClock.after(Math.max(delayMs, 0) / this.#speed, callback);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}
