import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { endsPass, type Failure, failureOf } from './failure.ts';

/** Outcome of a phase. */
export type Outcome<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: Failure };

/**
 * One pass of a reconcile, for any kind: runs its phases, collects failures, always writes the status, and returns when to requeue.
 *
 * **Expected flow.** `run` for each phase, whatever the outcome of the others; `requeueAfter` if a phase needs a requeue; finally `end`, with a function that
 * writes the status from the outcomes.
 *
 * **Guarantees.** Whatever a phase throws is told in the status, except a conflict, the loss of the grant and the end of the process, which end the pass.
 * A fault of Fairway itself is thrown again after the status is written, so that it is logged and the key rests. Everything else rests by itself
 * (`Attempts`, the caches of the cloud): an event may bring the key back to see what else has changed, and costs no call for what failed. Once the
 * signal has aborted no further phase begins and nothing is written: whoever has the key next looks at what is there.
 */
export class Pass {
  readonly signal: AbortSignal;
  readonly #now: () => number;
  readonly #failures: Failure[] = [];
  #requeueAfterMs = Number.POSITIVE_INFINITY;

  constructor({ signal }: ReconcileContext, clock: { now(): number }) {
    this.signal = signal;
    this.#now = () => clock.now();
  }

  async run<T>(phase: () => Promise<T>): Promise<Outcome<T>> {
    this.signal.throwIfAborted();
    try {
      return { value: await phase() };
    } catch (error) {
      if (this.signal.aborted || endsPass(error)) throw error;
      const failure = failureOf(error, this.#now());
      this.#failures.push(failure);
      return { failure };
    }
  }

  /** The earliest wins. */
  requeueAfter(delayMs: number | undefined): void {
    this.#requeueAfterMs = Math.min(this.#requeueAfterMs, delayMs ?? Number.POSITIVE_INFINITY);
  }

  /** Nothing to write for what has no status of its own. */
  async end(writeStatus?: () => Promise<void>): Promise<Result> {
    this.signal.throwIfAborted();
    await writeStatus?.();
    const fault = this.#failures.find(({ party }) => party === 'fairway');
    if (fault) throw fault.error;
    const resting = this.#failures.map(({ retryAfterMs }) => retryAfterMs);
    for (const delayMs of resting) this.requeueAfter(delayMs);
    const again = Number.isFinite(this.#requeueAfterMs) ? { requeueAfterMs: this.#requeueAfterMs } : {};
    // Failures without a retry time use the queue's backoff.
    return resting.includes(undefined) ? { ...again, failure: {} } : again;
  }
}
