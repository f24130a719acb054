import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { endsPass, type Failure, failureOf } from './failure.ts';

/** Outcome of a phase. */
export type Outcome<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: Failure };

/**
 * One pass of a reconcile, for any kind: runs its phases, collects failures, always writes the status, and returns when
 * to requeue.
 *
 * **Expected flow.** `run` for each phase, regardless of the outcome of the others; `requeueAfter` if a phase needs a
 * requeue; finally `end`, with a function that writes the status from the outcomes.
 *
 * **Guarantees.** The status reports all errors from phases, except a conflict, the loss of the grant and the end of
 * the process, which end the pass. A fault in Fairway itself is rethrown after the status is written, so that the fault
 * is logged and the key backs off. All other failures have their own backoff (`Attempts`, the caches of the cloud): an
 * event may requeue the key to check for other changes, without repeating the failed call. Once the signal has aborted,
 * no further phase starts and nothing is written: the next owner of the key reads the actual state.
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

  /** If called repeatedly, the earliest time applies. */
  requeueAfter(delayMs: number | undefined): void {
    this.#requeueAfterMs = Math.min(this.#requeueAfterMs, delayMs ?? Number.POSITIVE_INFINITY);
  }

  /** Writes nothing for an object without its own status. */
  async end(writeStatus?: () => Promise<void>): Promise<Result> {
    this.signal.throwIfAborted();
    await writeStatus?.();
    const fault = this.#failures.find(({ party }) => party === 'fairway');
    if (fault) throw fault.error;
    const retryDelays = this.#failures.map(({ retryAfterMs }) => retryAfterMs);
    for (const delayMs of retryDelays) this.requeueAfter(delayMs);
    const again = Number.isFinite(this.#requeueAfterMs) ? { requeueAfterMs: this.#requeueAfterMs } : {};
    // Failures without a retry time use the queue's backoff.
    return retryDelays.includes(undefined) ? { ...again, failure: {} } : again;
  }
}
