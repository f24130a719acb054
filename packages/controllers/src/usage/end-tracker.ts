import type { EndWindow } from '@fairway/api/domain/usage/follow';

/** Unconsumed changes are discarded beyond this number. */
const KEPT_MS = 3_600_000;
const PRUNE_ABOVE = 1_000;

/** When cloud resources were deleted or changed, as observed by this process in two consecutive lists. */
export class EndTracker {
  readonly #seen = new Map<string, EndWindow>();
  /** Since when there may be changes that have not been consumed. */
  readonly #unchanged = new Map<string, number>();

  /** `shownMs`: when the last list that contained it started. */
  note(id: string, shownMs: number, missingMs: number): void {
    if (this.#seen.size > PRUNE_ABOVE) this.#prune(missingMs - KEPT_MS);
    this.#seen.set(id, { fromMs: shownMs, toMs: missingMs });
  }

  /** If there are several changes before the next check, the first one may be the relevant one. */
  noteChange(id: string, shownMs: number, changedMs: number): void {
    if (this.#unchanged.size > PRUNE_ABOVE) this.#prune(changedMs - KEPT_MS);
    if (!this.#unchanged.has(id)) this.#unchanged.set(id, shownMs);
  }

  /** When the last list that contained it unchanged started. */
  unchangedMsOf(id: string): number | undefined {
    return this.#unchanged.get(id);
  }

  /** Its changes have been recorded. */
  settle(id: string): void {
    this.#unchanged.delete(id);
  }

  of(id: string): EndWindow | undefined {
    return this.#seen.get(id);
  }

  #prune(beforeMs: number): void {
    for (const [id, { toMs }] of this.#seen) if (toMs < beforeMs) this.#seen.delete(id);
    for (const [id, shownMs] of this.#unchanged) if (shownMs < beforeMs) this.#unchanged.delete(id);
  }
}
