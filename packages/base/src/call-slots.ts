/** Lets a number of calls go at once, the others in order of arrival. */
export class CallSlots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what ends the call; calling it again changes nothing. Rejects with the reason of the signal. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.#waiting.shift();
      // The slot is passed on: nobody who comes meanwhile is faster.
      if (next === undefined) this.#free++;
      else next();
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
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
