import type { Clock, Timer } from '@fairway/base/clock';

export interface BudgetOptions {
  readonly requestsPerMinute: number;
  /** Burst size after an idle time. */
  readonly burst: number;
  /** Maximum concurrent calls. */
  readonly concurrent: number;
}

export const DEFAULT_BUDGET: BudgetOptions = { requestsPerMinute: 3000, burst: 300, concurrent: 64 };

/** `background` (a cache's periodic list) waits while any other call of its project is queued. */
export type Priority = 'normal' | 'background';

interface Waiter {
  readonly start: () => void;
}

/** Queued calls of one project. */
interface Queue {
  readonly normal: Set<Waiter>;
  readonly background: Set<Waiter>;
}

/**
 * Maximum ratio of a project's calls in flight to free slots: a single project gets three quarters of all slots, and
 * each additional project leaves some slots free.
 */
const SLOTS_PER_FREE_SLOT = 3;

/**
 * Fairway's own rate limit for one cloud, across all projects: a token bucket and a concurrency limit, with fair
 * queueing by project.
 *
 * **Guarantees.** Round robin across projects, however many calls each has queued: a call waits for at most one call of
 * every other project, and for calls of its own project. However slow its calls are, a project never holds all slots.
 * Every attempt, including retries, counts against its own project.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #options: BudgetOptions;
  /** In round-robin order. */
  readonly #queues = new Map<string, Queue>();
  readonly #runningByProject = new Map<string, number>();
  #waiting = 0;
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

  /** Queued calls; if above zero, Fairway exceeds its budget for the cloud. */
  get waiting(): number {
    return this.#waiting;
  }

  get requestsPerMinute(): number {
    return this.#options.requestsPerMinute;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Resolves when the call may be sent; the returned function must be called when the call ends. First come, first
   * served within a project. `project` is the caller's project id or, if unknown, anything that identifies the caller,
   * or ''.
   */
  acquire(project: string, priority: Priority, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.#remove(project, priority, waiter);
        this.#pump();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        start: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#begin(project));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#add(project, priority, waiter);
      this.#pump();
    });
  }

  #add(project: string, priority: Priority, waiter: Waiter): void {
    const queue = this.#queues.get(project) ?? { normal: new Set(), background: new Set() };
    this.#queues.set(project, queue);
    queue[priority].add(waiter);
    this.#waiting += 1;
  }

  #remove(project: string, priority: Priority, waiter: Waiter): void {
    const queue = this.#queues.get(project);
    if (queue?.[priority].delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (queue.normal.size + queue.background.size === 0) this.#queues.delete(project);
  }

  #begin(project: string): () => void {
    this.#tokens -= 1;
    this.#count(project, 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#count(project, -1);
      this.#pump();
    };
  }

  #count(project: string, change: 1 | -1): void {
    const running = (this.#runningByProject.get(project) ?? 0) + change;
    this.#running += change;
    if (running === 0) this.#runningByProject.delete(project);
    else this.#runningByProject.set(project, running);
  }

  #pump(): void {
    this.#fill();
    while (this.#tokens >= 1) {
      const waiter = this.#shift();
      if (waiter === undefined) break;
      waiter.start();
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting === 0 || this.#tokens >= 1 || this.#running >= this.#options.concurrent) return;
    const missing = 1 - this.#tokens;
    this.#timer = this.#clock.after(Math.ceil((missing * 60_000) / this.#options.requestsPerMinute), () =>
      this.#pump(),
    );
  }

  /** The first call of the project at the head of the queue; the project then moves to the end of the queue. */
  #shift(): Waiter | undefined {
    const free = this.#options.concurrent - this.#running;
    for (const [project, queue] of this.#queues) {
      if ((this.#runningByProject.get(project) ?? 0) >= free * SLOTS_PER_FREE_SLOT) continue;
      const priority = queue.normal.size > 0 ? 'normal' : 'background';
      const [waiter] = queue[priority];
      if (waiter === undefined) continue;
      this.#queues.delete(project);
      this.#queues.set(project, queue);
      this.#remove(project, priority, waiter);
      return waiter;
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
