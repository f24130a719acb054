import type { Clock } from '@fairway/base/clock';
import { ChangePace } from '@fairway/openstack/cache/change-pace';
import { status } from '@grpc/grpc-js';
import { CallError } from './call-error.ts';

/** Changes in the cloud that calls wait for. */
const CHANGES = ['create', 'delete', 'extend', 'attach', 'detach', 'snapshot', 'settle'] as const;
export type Change = (typeof CHANGES)[number];

/** How long each change usually takes, learned from all calls. */
export type Paces = Readonly<Record<Change, ChangePace>>;

export function newPaces(): Paces {
  const entries = CHANGES.map((change) => [change, new ChangePace('deletion')] as const);
  return Object.fromEntries(entries) as Record<Change, ChangePace>;
}

/**
 * The time limit of a call. Requests that were sent to the cloud continue after the limit expires, and the next call
 * finds their results.
 */
export class CallTime {
  /** Aborts when the caller stops waiting for the response. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #paces: Paces;

  constructor(clock: Clock, paces: Paces, signal: AbortSignal) {
    this.#clock = clock;
    this.#paces = paces;
    this.signal = signal;
  }

  /**
   * Polls until there is a result, at intervals that fit the change. Rejects with `poll`'s error, or with
   * DEADLINE_EXCEEDED when the time limit expires; `description` then specifies what the call was waiting for.
   */
  async pollUntil<T>(change: Change, description: string, poll: () => Promise<T | undefined>): Promise<T> {
    const pace = this.#paces[change];
    const sinceMs = this.#clock.now();
    for (let pendingUntilMs = 0; ; ) {
      await this.#sleep(pace.nextPollMs(pendingUntilMs) - pendingUntilMs, description);
      const polledMs = this.#clock.now() - sinceMs;
      const result = await this.#withTimeLimit(description, poll);
      if (result !== undefined) {
        pace.learn(pendingUntilMs, polledMs);
        return result;
      }
      pendingUntilMs = Math.max(this.#clock.now() - sinceMs, polledMs);
    }
  }

  /** Rejects with DEADLINE_EXCEEDED if the time limit expires first. */
  async sleepUntil(epochMs: number, description: string): Promise<void> {
    await this.#sleep(Math.max(epochMs - this.#clock.now(), 1), description);
  }

  #sleep(durationMs: number, description: string): Promise<void> {
    return this.#withTimeLimit(description, () => this.#clock.sleep(durationMs, this.signal));
  }

  async #withTimeLimit<T>(description: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.signal.aborted || error !== this.signal.reason) throw error;
      const code = error instanceof CallError ? error.code : status.DEADLINE_EXCEEDED;
      throw new CallError(code, `${description}: still in progress, retry the call`, error);
    }
  }
}
