import { type Clock, sleepOn, type Timer } from './clock.ts';

interface PendingTimer {
  readonly dueMs: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/** A clock that only advances when a test advances it. */
export class FakeClock implements Clock {
  #nowMs: number;
  #sequence = 0;
  readonly #pending = new Set<PendingTimer>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#nowMs + Math.max(delayMs, 0), sequence: this.#sequence++, callback };
    this.#pending.add(timer);
    return { cancel: () => this.#pending.delete(timer) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Number of pending timers; a test of a graceful stop expects none. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer is due; undefined if none is pending. */
  get nextDueMs(): number | undefined {
    const next = this.#next();
    return next && next.dueMs - this.#nowMs;
  }

  /**
   * Moves time forward and fires due timers in order. Drains the event loop between timers, so that work started by
   * a timer (promises, loopback I/O callbacks) completes before the next one fires.
   */
  async advance(deltaMs: number): Promise<void> {
    const targetMs = this.#nowMs + deltaMs;
    for (;;) {
      await drainEventLoop();
      const timer = this.#next();
      if (timer === undefined || timer.dueMs > targetMs) break;
      this.#pending.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
      timer.callback();
    }
    this.#nowMs = targetMs;
    await drainEventLoop();
  }

  #next(): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#pending) {
      if (
        next === undefined ||
        timer.dueMs < next.dueMs ||
        (timer.dueMs === next.dueMs && timer.sequence < next.sequence)
      ) {
        next = timer;
      }
    }
    return next;
  }
}

async function drainEventLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
