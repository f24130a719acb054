import type { Departure } from '@fairway/api/domain/usage/follow';

/** What nobody asks for was never recorded. */
const KEPT_MS = 3_600_000;
const PRUNE_ABOVE = 1_000;

/** When things of the cloud went or changed, as this process saw it in two lists that came one after the other. */
export class Departures {
  readonly #seen = new Map<string, Departure>();
  /** Since when things may have changed that nobody has looked at since. */
  readonly #unchanged = new Map<string, number>();

  /** `shownMs`: when the last list began that showed it. */
  note(id: string, shownMs: number, missingMs: number): void {
    if (this.#seen.size > PRUNE_ABOVE) this.#prune(missingMs - KEPT_MS);
    this.#seen.set(id, { fromMs: shownMs, toMs: missingMs });
  }

  /** Of several changes before a look the first may be the one that counts. */
  noteChange(id: string, shownMs: number, changedMs: number): void {
    if (this.#unchanged.size > PRUNE_ABOVE) this.#prune(changedMs - KEPT_MS);
    if (!this.#unchanged.has(id)) this.#unchanged.set(id, shownMs);
  }

  /** When the last list began that showed it as it was. */
  unchangedMsOf(id: string): number | undefined {
    return this.#unchanged.get(id);
  }

  /** Its changes have been recorded. */
  settle(id: string): void {
    this.#unchanged.delete(id);
  }

  of(id: string): Departure | undefined {
    return this.#seen.get(id);
  }

  #prune(beforeMs: number): void {
    for (const [id, { toMs }] of this.#seen) if (toMs < beforeMs) this.#seen.delete(id);
    for (const [id, shownMs] of this.#unchanged) if (shownMs < beforeMs) this.#unchanged.delete(id);
  }
}
