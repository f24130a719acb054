/** Limits concurrent calls; additional calls wait in order of arrival. */
export class CallSlots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a function that releases the slot; calling it again has no effect. Rejects with the signal's reason. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#waitForTurn(signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.#waiting.shift();
      // The slot is handed over directly, so a new call can't overtake a waiting one.
      if (next === undefined) this.#free++;
      else next();
    };
  }

  #waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(onTurn), 1);
      reject(signal?.reason);
    };
    const onTurn = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    this.#waiting.push(onTurn);
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise;
  }
}
