import type { Departure } from '@fairway/api/domain/usage/follow';

/** What nobody asks for was never recorded. */
const KEPT_MS = 3_600_000;
const PRUNE_ABOVE = 1_000;

/** When things of the cloud went, as this process saw it in two lists that came one after the other. */
export class Departures {
  readonly #seen = new Map<string, Departure>();

  /** `shownMs`: when the last list began that showed it. */
  note(id: string, shownMs: number, missingMs: number): void {
    if (this.#seen.size > PRUNE_ABOVE) this.#prune(missingMs - KEPT_MS);
    this.#seen.set(id, { fromMs: shownMs, toMs: missingMs });
  }

  of(id: string): Departure | undefined {
    return this.#seen.get(id);
  }

  #prune(beforeMs: number): void {
    for (const [id, { toMs }] of this.#seen) if (toMs < beforeMs) this.#seen.delete(id);
  }
}
