import { Worker } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import type { ConfinedCall, ConfinedResult } from './confined-worker.ts';

export interface ConfinedOptions {
  /** Real-time limit for one call. Generous, as it only ends calls that hang. */
  readonly deadlineMs?: number;
  readonly maxHeapMb?: number;
}

/**
 * Calls a module's functions in a worker thread with limits on time and heap: a call that hangs or exhausts memory
 * fails only its own test. Arguments and results are cloned. Call `close` when done.
 */
export class ConfinedModule {
  readonly #module: string;
  readonly #deadlineMs: number;
  readonly #maxHeapMb: number;
  #worker: Worker | undefined;

  constructor(module: URL, { deadlineMs = 300_000, maxHeapMb = 256 }: ConfinedOptions = {}) {
    this.#module = module.href;
    this.#deadlineMs = deadlineMs;
    this.#maxHeapMb = maxHeapMb;
  }

  /**
   * Rejects with the error that the function throws, or if the function exceeds its time or memory limit. One call at a
   * time.
   */
  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<ConfinedResult>();
    const onError = (error: Error) => reject(new Error(`${name} ended its thread: ${error.message}`));
    const timer = systemClock.after(this.#deadlineMs, () =>
      reject(new Error(`${name} took longer than ${this.#deadlineMs} ms`)),
    );
    worker.once('message', resolve).once('error', onError);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    worker.postMessage({ name, args } satisfies ConfinedCall);
    try {
      const result = await promise;
      if ('error' in result) throw result.error;
      return result.value;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      timer.cancel();
      worker.off('message', resolve).off('error', onError);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    return new Worker(new URL('./confined-worker.ts', import.meta.url), {
      workerData: { module: this.#module },
      resourceLimits: { maxOldGenerationSizeMb: this.#maxHeapMb },
      execArgv: [],
    });
  }
}
