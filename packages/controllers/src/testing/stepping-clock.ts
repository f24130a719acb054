import { type Clock, sleepOn, type Timer } from '@fairway/base/clock';
import { DueHeap } from '@fairway/kube/controller/due-heap';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import { webCryptoWorkUnderWay } from './web-crypto-work.ts';

/** Requests without time passing, after which a hot loop is assumed. */
const MAX_REQUESTS_AT_ONCE = 3_000;
/** What Node calls requests to the operating system, which end by themselves. */
const SYSTEM_REQUEST = /Req|^(TCPConnect|PipeConnect|Write|Shutdown)Wrap$/;
/** Looks of all clocks that are due in the next turn of the event loop: tests' last clocks may still be looking. */
let looksAhead = 0;

/**
 * A clock that stops while anything is running, requests over real sockets and work on keys in other threads included, and
 * then jumps to the next timer: an hour passes in a moment, independent of the machine's speed.
 */
export class SteppingClock implements Clock {
  readonly #timers = new DueHeap<{ readonly callback: () => void }>();
  #nowMs = Date.UTC(2026, 0, 1);
  #underWay = 0;
  /** Requests that the servers keep waiting, on this clock. */
  #keptWaiting = 0;
  #requestsAtOnce = 0;

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

  /** The same time, for servers that sleep on it while they hold an answer back. */
  get ofServers(): Clock {
    return {
      now: () => this.now(),
      after: (delayMs, callback) => this.after(delayMs, callback),
      sleep: async (delayMs, signal) => {
        this.#keptWaiting++;
        try {
          await this.sleep(delayMs, signal);
        } finally {
          this.#keptWaiting--;
        }
      },
    };
  }

  /** Time stands still while a request over `transport` is in progress. */
  watching(transport: HttpTransport): HttpTransport {
    return {
      send: async (request, signal) => {
        this.#underWay++;
        this.#requestsAtOnce++;
        try {
          return await transport.send(request, signal);
        } finally {
          this.#underWay--;
        }
      },
      close: () => transport.close(),
    };
  }

  /** Lets time pass. Rejects on a hot loop. */
  async pass(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      await this.#quiet();
      const dueMs = this.#timers.nextDueMs;
      if (dueMs === undefined || dueMs > untilMs) break;
      this.#step(dueMs);
    }
    this.#moveTo(untilMs);
    await this.#quiet();
  }

  /** Lets time pass until the promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    work.then(settled, settled);
    for (;;) {
      await this.#quiet();
      if (isSettled) return work;
      this.#step(this.#timers.nextDueMs ?? this.#nowMs + 1);
    }
  }

  /** Has time pass by itself, as tests wait for what takes any, until the returned function is called. */
  run(): () => void {
    let isRunning = true;
    void (async () => {
      for (;;) {
        await this.#quiet();
        if (!isRunning) return;
        this.#step(this.#timers.nextDueMs ?? this.#nowMs + 1);
      }
    })();
    return () => {
      isRunning = false;
    };
  }

  /** Moves to the next timer, or to a later time that is before it. */
  #step(toMs: number): void {
    this.#moveTo(toMs);
    if ((this.#timers.nextDueMs ?? Number.POSITIVE_INFINITY) <= this.#nowMs) this.#timers.pop()?.callback();
  }

  #moveTo(ms: number): void {
    if (ms > this.#nowMs) this.#requestsAtOnce = 0;
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  /** Resolves when nothing is left that could go on without time passing: all promises are settled by the end of a turn of the event loop. */
  async #quiet(): Promise<void> {
    do {
      looksAhead++;
      await new Promise<void>((resolve) => setImmediate(resolve));
      looksAhead--;
      if (this.#requestsAtOnce > MAX_REQUESTS_AT_ONCE) {
        throw new Error(`${this.#requestsAtOnce} requests to the cloud without any time passing`);
      }
    } while (this.#underWay > this.#keptWaiting || webCryptoWorkUnderWay() > 0 || isBusy());
  }
}

/** Whether this thread has work for its next turn, or waits for the operating system. */
function isBusy(): boolean {
  let turns = 0;
  for (const name of process.getActiveResourcesInfo()) {
    if (name === 'Immediate') turns++;
    else if (SYSTEM_REQUEST.test(name)) return true;
  }
  return turns > looksAhead;
}
