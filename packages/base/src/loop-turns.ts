import { FairQueue } from './fair-queue.ts';

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/** Event-loop turns between two pieces: a small request takes this many from its first byte until it is carried out. */
const TURNS_PER_PIECE = 3;

/**
 * Starts pieces of work one every few event-loop turns, round-robin by owner: however many arrive at once, other clients' requests are read and
 * timers run between two of them. A single piece starts immediately.
 */
export class LoopTurns {
  readonly #defer: (run: () => void) => unknown;
  readonly #waiting = new FairQueue<Waiting>();
  #isTaken = false;

  /** @param defer runs a function in the next turn. */
  constructor(defer: (run: () => void) => unknown = setImmediate) {
    this.#defer = defer;
  }

  /** Number of waiting pieces. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves in a turn in which no other piece starts. */
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
    this.#after(TURNS_PER_PIECE);
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
