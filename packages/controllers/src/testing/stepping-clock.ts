import { type Clock, sleepOn, type Timer } from '@fairway/base/clock';
import { DueHeap } from '@fairway/kube/controller/due-heap';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import { webCryptoWorkInProgress } from './web-crypto-work.ts';

/** The number of requests without time passing after which a hot loop is assumed. */
const MAX_REQUESTS_AT_ONCE = 3_000;
/** Node's names for operating system requests that complete on their own. */
const SYSTEM_REQUEST = /Req|^(TCPConnect|PipeConnect|Write|Shutdown)Wrap$/;
/**
 * Checks of all clocks that are due in the next turn of the event loop: clocks of earlier tests may still be checking.
 */
let pendingChecks = 0;

/**
 * A clock that stops while anything is running, including requests over real sockets and cryptographic work in other
 * threads. Otherwise it jumps to the next timer: an hour passes in an instant, regardless of the machine's speed.
 */
export class SteppingClock implements Clock {
  readonly #timers = new DueHeap<{ readonly callback: () => void }>();
  #nowMs = Date.UTC(2026, 0, 1);
  #inFlight = 0;
  /** Requests that servers delay on this clock. */
  #waitingRequests = 0;
  #concurrentRequests = 0;

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { callback };
    this.#timers.push(timer, this.#nowMs + Math.max(delayMs, 0));
    return { cancel: () => void this.#timers.remove(timer) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** The same clock, for servers that sleep on it while they delay a response. */
  get serverClock(): Clock {
    return {
      now: () => this.now(),
      after: (delayMs, callback) => this.after(delayMs, callback),
      sleep: async (delayMs, signal) => {
        this.#waitingRequests++;
        try {
          await this.sleep(delayMs, signal);
        } finally {
          this.#waitingRequests--;
        }
      },
    };
  }

  /** Makes time stand still while a request over `transport` is in progress. */
  watching(transport: HttpTransport): HttpTransport {
    return {
      send: async (request, signal) => {
        this.#inFlight++;
        this.#concurrentRequests++;
        try {
          return await transport.send(request, signal);
        } finally {
          this.#inFlight--;
        }
      },
      close: () => transport.close(),
    };
  }

  /** Advances the clock. Rejects on a hot loop. */
  async pass(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      await this.#waitUntilQuiet();
      const dueMs = this.#timers.nextDueMs;
      if (dueMs === undefined || dueMs > untilMs) break;
      this.#step(dueMs);
    }
    this.#moveTo(untilMs);
    await this.#waitUntilQuiet();
  }

  /** Advances the clock until the promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    work.then(settled, settled);
    for (;;) {
      await this.#waitUntilQuiet();
      if (isSettled) return work;
      this.#step(this.#timers.nextDueMs ?? this.#nowMs + 1);
    }
  }

  /** Advances automatically while tests wait, until the returned function is called. */
  run(): () => void {
    let isRunning = true;
    void (async () => {
      for (;;) {
        await this.#waitUntilQuiet();
        if (!isRunning) return;
        this.#step(this.#timers.nextDueMs ?? this.#nowMs + 1);
      }
    })();
    return () => {
      isRunning = false;
    };
  }

  /** Moves to the next timer, or to the given time if that comes first. */
  #step(toMs: number): void {
    this.#moveTo(toMs);
    if ((this.#timers.nextDueMs ?? Number.POSITIVE_INFINITY) <= this.#nowMs) this.#timers.pop()?.callback();
  }

  #moveTo(ms: number): void {
    if (ms > this.#nowMs) this.#concurrentRequests = 0;
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  /**
   * Resolves when nothing is left that could continue without time passing: all promises are settled by the end of a
   * turn of the event loop.
   */
  async #waitUntilQuiet(): Promise<void> {
    do {
      pendingChecks++;
      await new Promise<void>((resolve) => setImmediate(resolve));
      pendingChecks--;
      if (this.#concurrentRequests > MAX_REQUESTS_AT_ONCE) {
        throw new Error(`${this.#concurrentRequests} requests to the cloud without any time passing`);
      }
    } while (this.#inFlight > this.#waitingRequests || webCryptoWorkInProgress() > 0 || isBusy());
  }
}

/** Whether this thread has work for its next turn, or is waiting for the operating system. */
function isBusy(): boolean {
  let turns = 0;
  for (const name of process.getActiveResourcesInfo()) {
    if (name === 'Immediate') turns++;
    else if (SYSTEM_REQUEST.test(name)) return true;
  }
  return turns > pendingChecks;
}
