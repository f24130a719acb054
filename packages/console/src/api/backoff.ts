const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Exponential backoff with jitter, so that a thousand browsers do not reconnect at the same time. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The next pause; at least the server's Retry-After, which is the same for all clients. */
  nextMs(atLeastMs = 0): number {
    const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    return Math.max(atLeastMs, ceiling / 2) + this.#random() * (ceiling / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
