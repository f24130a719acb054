import { type Clock, sleepOn, type Timer } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { HttpTransport } from '@fairway/openstack/http/transport';
import { webCryptoWorkUnderWay } from './web-crypto-work.ts';

/** Turns of the event loop in a row without a request or a key under way, after which everything is considered idle. */
const QUIET_TURNS = 40;
/** Requests without time passing, after which a hot loop is assumed. */
const MAX_REQUESTS_AT_ONCE = 3_000;

/**
 * A clock that stops while anything is running, requests over real sockets and work on keys in other threads included, and
 * then jumps to the next timer: an hour passes in a second, independent of the machine's speed.
 */
export class SteppingClock implements Clock {
  readonly #fake = new FakeClock();
  #underWay = 0;
  /** Requests that the servers keep waiting, on this clock. */
  #keptWaiting = 0;
  #requestsAtOnce = 0;

  now(): number {
    return this.#fake.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#fake.after(delayMs, callback);
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
    const untilMs = this.now() + durationMs;
    for (;;) {
      await this.#quiet();
      const nextMs = this.#fake.nextDueMs;
      if (nextMs === undefined || this.now() + nextMs > untilMs) break;
      await this.#step(nextMs);
    }
    await this.#step(untilMs - this.now());
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
      await this.#step(this.#fake.nextDueMs ?? 1);
    }
  }

  async #step(deltaMs: number): Promise<void> {
    if (deltaMs > 0) this.#requestsAtOnce = 0;
    await this.#fake.advance(deltaMs);
  }

  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#underWay > this.#keptWaiting || webCryptoWorkUnderWay() > 0) turns = 0;
      if (this.#requestsAtOnce > MAX_REQUESTS_AT_ONCE) {
        throw new Error(`${this.#requestsAtOnce} requests to the cloud without any time passing`);
      }
    }
  }
}
