const MAX_SECONDS = 32;

/** Retry-After of a level: longer while many requests are rejected, shorter as rejections become fewer. */
export class RetryAfter {
  seconds = 1;
  #second = 0;
  #count = 0;
  #raisedAt = 0;
  /** Rejections per second, latest last. */
  #history: { readonly second: number; readonly count: number }[] = [];

  rejected(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#history.push({ second: this.#second, count: this.#count });
      this.#history = this.#history.filter((past) => second - past.second <= MAX_SECONDS);
      this.#second = second;
      this.#count = 0;
      this.#adapt(second);
    }
    this.#count++;
  }

  /**
   * Upstream's rule, over the last `seconds`: doubled at three rejections per second, decremented below one per second.
   */
  #adapt(second: number): void {
    const recent = this.#history.filter((past) => second - past.second <= this.seconds);
    const count = recent.reduce((sum, past) => sum + past.count, 0);
    if (count >= 3 * this.seconds && second - this.#raisedAt >= this.seconds) {
      this.seconds = Math.min(MAX_SECONDS, this.seconds * 2);
      this.#raisedAt = second;
    } else if (count < this.seconds && this.seconds > 1) {
      this.seconds--;
    }
  }
}
