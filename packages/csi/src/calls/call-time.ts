import type { Clock } from '@fairway/base/clock';
import { ChangePace } from '@fairway/openstack/cache/change-pace';
import { status } from '@grpc/grpc-js';
import { CallError } from './call-error.ts';

/** Changes in the cloud that calls wait for. */
const CHANGES = ['create', 'delete', 'extend', 'attach', 'detach', 'snapshot', 'settle'] as const;
export type Change = (typeof CHANGES)[number];

/** How long each change usually takes, learned over all calls. */
export type Paces = Readonly<Record<Change, ChangePace>>;

export function newPaces(): Paces {
  const entries = CHANGES.map((change) => [change, new ChangePace('deletion')] as const);
  return Object.fromEntries(entries) as Record<Change, ChangePace>;
}

/** The time limit of a call. Requests that were sent to the cloud continue after its end, and the next call finds them. */
export class CallTime {
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #paces: Paces;

  constructor(clock: Clock, paces: Paces, signal: AbortSignal) {
    this.#clock = clock;
    this.#paces = paces;
    this.signal = signal;
  }

  /**
   * Polls until there is a result, at intervals that suit such a change. Rejects with the error of `poll`, and with
   * DEADLINE_EXCEEDED when the time is over; `what` then describes what was waited for.
   */
  async until<T>(change: Change, what: string, poll: () => Promise<T | undefined>): Promise<T> {
    const pace = this.#paces[change];
    const sinceMs = this.#clock.now();
    for (let unseenMs = 0; ; ) {
      await this.#pass(pace.nextPollMs(unseenMs) - unseenMs, what);
      const lookedMs = this.#clock.now() - sinceMs;
      const found = await this.#within(what, poll);
      if (found !== undefined) {
        pace.learn(unseenMs, lookedMs);
        return found;
      }
      unseenMs = Math.max(this.#clock.now() - sinceMs, lookedMs);
    }
  }

  /** Rejects with DEADLINE_EXCEEDED if it ends first. */
  async passUntil(epochMs: number, what: string): Promise<void> {
    await this.#pass(Math.max(epochMs - this.#clock.now(), 1), what);
  }

  #pass(durationMs: number, what: string): Promise<void> {
    return this.#within(what, () => this.#clock.sleep(durationMs, this.signal));
  }

  async #within<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.signal.aborted || error !== this.signal.reason) throw error;
      const code = error instanceof CallError ? error.code : status.DEADLINE_EXCEEDED;
      throw new CallError(code, `${what}: still in progress, retry the call`, error);
    }
  }
}
