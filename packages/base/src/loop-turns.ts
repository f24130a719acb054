import { FairQueue } from './fair-queue.ts';

interface Waiter {
  readonly owner: string;
  readonly begin: () => void;
}

/**
 * Event-loop turns between two pieces of work: a small request takes this many from its first byte until it has been
 * processed.
 */
const TURNS_PER_CHUNK = 3;

/**
 * Starts one piece of work every few event-loop turns, round-robin by owner: no matter how many pieces arrive together,
 * other clients' requests are read and timers run between two pieces. A single piece starts immediately.
 */
export class LoopTurns {
  readonly #defer: (run: () => void) => unknown;
  readonly #waiting = new FairQueue<Waiter>();
  #isTaken = false;

  /** @param defer runs a function in the next turn. */
  constructor(defer: (run: () => void) => unknown = setImmediate) {
    this.#defer = defer;
  }

  /** Number of waiting pieces of work. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves in a turn in which no other piece of work starts. */
  enter(owner: string): Promise<void> {
    if (!this.#isTaken) {
      this.#takeTurn();
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(owner, { owner, begin: resolve });
    return promise;
  }

  #takeTurn(): void {
    this.#isTaken = true;
    this.#after(TURNS_PER_CHUNK);
  }

  #after(turns: number): void {
    this.#defer(() => {
      if (turns > 1) this.#after(turns - 1);
      else this.#next();
    });
  }

  #next(): void {
    this.#isTaken = false;
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#waiting.done(next.owner);
    this.#takeTurn();
    next.begin();
  }
}
