import type { Clock, Timer } from '@fairway/base/clock';

export interface BudgetOptions {
  readonly requestsPerMinute: number;
  /** How many may go at once after a pause. */
  readonly burst: number;
  /** Under way at the same time. */
  readonly concurrent: number;
}

export const DEFAULT_BUDGET: BudgetOptions = { requestsPerMinute: 3000, burst: 300, concurrent: 64 };

/** `background` (a cache's periodic list) waits while anything else does. */
export type Priority = 'normal' | 'background';

interface Waiter {
  readonly start: () => void;
}

/** What Fairway allows itself to ask of one cloud, for all projects together: a token bucket and a concurrency limit. */
export class Budget {
  readonly #clock: Clock;
  readonly #options: BudgetOptions;
  readonly #queues = { normal: new Set<Waiter>(), background: new Set<Waiter>() };
  #tokens: number;
  #filledAtMs: number;
  #running = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: BudgetOptions = DEFAULT_BUDGET) {
    this.#clock = clock;
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAtMs = clock.now();
  }

  /** Calls that wait for their turn; above zero, Fairway asks more of the cloud than it may. */
  get waiting(): number {
    return this.#queues.normal.size + this.#queues.background.size;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when the call may go, first come first served; the function returned must be called when it ended. */
  acquire(priority: Priority, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const queue = this.#queues[priority];
      const onAbort = () => {
        queue.delete(waiter);
        this.#pump();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        start: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#begin());
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(waiter);
      this.#pump();
    });
  }

  #begin(): () => void {
    this.#tokens -= 1;
    this.#running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running -= 1;
      this.#pump();
    };
  }

  #pump(): void {
    this.#fill();
    while (this.#running < this.#options.concurrent && this.#tokens >= 1) {
      const waiter = this.#shift();
      if (waiter === undefined) break;
      waiter.start();
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.waiting === 0 || this.#running >= this.#options.concurrent) return;
    const missing = 1 - this.#tokens;
    this.#timer = this.#clock.after(Math.ceil((missing * 60_000) / this.#options.requestsPerMinute), () =>
      this.#pump(),
    );
  }

  #shift(): Waiter | undefined {
    for (const queue of [this.#queues.normal, this.#queues.background]) {
      for (const waiter of queue) {
        queue.delete(waiter);
        return waiter;
      }
    }
    return undefined;
  }

  #fill(): void {
    const nowMs = this.#clock.now();
    const earned = ((nowMs - this.#filledAtMs) * this.#options.requestsPerMinute) / 60_000;
    this.#tokens = Math.min(this.#options.burst, this.#tokens + Math.max(0, earned));
    this.#filledAtMs = nowMs;
  }
}
