/** HTTP dates are truncated to whole seconds. */
const DATE_PRECISION_MS = 1000;

/**
 * The server's time, from the Date header of its responses. Each response narrows the bounds of the offset from the
 * browser's clock; if they include zero, the offset is zero.
 */
export class ServerClock {
  #lowMs = Number.NEGATIVE_INFINITY;
  #highMs = Number.POSITIVE_INFINITY;
  readonly #localMs: () => number;

  constructor(localMs: () => number = () => Date.now()) {
    this.#localMs = localMs;
  }

  /**
   * Must be called with the Date of a response as soon as its headers arrive. `sentMs` is the browser's time of the
   * request.
   */
  observe(date: string | null, sentMs: number): void {
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    const lowMs = dateMs - this.#localMs();
    const highMs = dateMs + DATE_PRECISION_MS - sentMs;
    // If a clock has been changed since, only this response is used.
    const isSame = lowMs <= this.#highMs && highMs >= this.#lowMs;
    this.#lowMs = isSame ? Math.max(lowMs, this.#lowMs) : lowMs;
    this.#highMs = isSame ? Math.min(highMs, this.#highMs) : highMs;
  }

  readonly nowMs = (): number => this.#localMs() + Math.min(Math.max(0, this.#lowMs), this.#highMs);

  /** The server's time in RFC 3339. */
  readonly now = (): string => new Date(this.nowMs()).toISOString();
}

export const serverClock = new ServerClock();
