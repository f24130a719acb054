const INITIAL_MS = 500;
const MAX_MS = 30_000;

/** Exponential backoff with jitter, so that a thousand browsers do not reconnect at the same time. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The next pause; at least the server's Retry-After, which is the same for all clients. */
  nextMs(minMs = 0): number {
    const ceiling = Math.min(MAX_MS, INITIAL_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    return Math.max(minMs, ceiling / 2) + this.#random() * (ceiling / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
