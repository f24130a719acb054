export interface AllotmentLimits {
  readonly total: number;
  readonly perHolder: number;
}

/** Tracks shares of a limited resource, in total and per holder. It only has entries for current holders. */
export class Allotment {
  readonly #limits: AllotmentLimits;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(limits: AllotmentLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** The limit that acquiring `amount` more would exceed; undefined if it fits. */
  exceededLimit(holder: string, amount = 1): keyof AllotmentLimits | undefined {
    if (this.heldBy(holder) + amount > this.#limits.perHolder) return 'perHolder';
    return this.#used + amount > this.#limits.total ? 'total' : undefined;
  }

  /** Acquires a share regardless of the limits. */
  take(holder: string, amount = 1): void {
    this.#held.set(holder, this.heldBy(holder) + amount);
    this.#used += amount;
  }

  release(holder: string, amount = 1): void {
    const left = this.heldBy(holder) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#used -= amount;
  }
}
