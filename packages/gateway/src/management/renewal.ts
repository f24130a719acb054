import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';

/** Often enough for certificates that are valid for months. */
const INTERVAL_MS = 3_600_000;
const RETRY_MS = 30_000;

/** Runs a task every hour and on request, one run at a time; a failed run is retried after half a minute. */
export class Renewal {
  readonly #task: () => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Logger;
  #timer: Timer;
  #running: Promise<void> | undefined;
  #rerunRequested = false;
  #isStopped = false;

  constructor(task: () => Promise<void>, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#task = task;
    this.#clock = clock;
    this.#log = log;
    this.#timer = clock.after(INTERVAL_MS, () => this.now());
  }

  now(): void {
    if (this.#isStopped) return;
    this.#rerunRequested = this.#running !== undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no task is running or will run again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    let nextMs = INTERVAL_MS;
    do {
      this.#rerunRequested = false;
      try {
        await this.#task();
        nextMs = INTERVAL_MS;
      } catch (error) {
        this.#log.warn({ err: error }, 'failed to renew the certificates of the gateway');
        nextMs = RETRY_MS;
      }
    } while (this.#rerunRequested && !this.#isStopped);
    this.#timer.cancel();
    if (!this.#isStopped) this.#timer = this.#clock.after(nextMs, () => this.now());
  }
}
