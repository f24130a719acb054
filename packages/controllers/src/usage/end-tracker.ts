import type { EndWindow } from '@fairway/api/domain/usage/follow';

/** The maximum number of unconsumed changes; others are discarded. */
const RETENTION_MS = 3_600_000;
const PRUNE_THRESHOLD = 1_000;

/** When cloud resources were deleted or changed, as observed by this process in two consecutive lists. */
export class EndTracker {
  readonly #seen = new Map<string, EndWindow>();
  /** When the first unconsumed change of each resource may have happened. */
  readonly #unchanged = new Map<string, number>();

  /** `shownMs`: when the last list that contained the resource was requested. */
  note(id: string, lastSeenMs: number, missingSinceMs: number): void {
    if (this.#seen.size > PRUNE_THRESHOLD) this.#prune(missingSinceMs - RETENTION_MS);
    this.#seen.set(id, { fromMs: lastSeenMs, toMs: missingSinceMs });
  }

  /** Records a change. If there are several before the next check, the first one may be the one that matters. */
  noteChange(id: string, lastSeenMs: number, changedMs: number): void {
    if (this.#unchanged.size > PRUNE_THRESHOLD) this.#prune(changedMs - RETENTION_MS);
    if (!this.#unchanged.has(id)) this.#unchanged.set(id, lastSeenMs);
  }

  /** When the last list that contained the resource unchanged was requested. */
  unchangedMsOf(id: string): number | undefined {
    return this.#unchanged.get(id);
  }

  /** Drops the changes, which have been recorded. */
  settle(id: string): void {
    this.#unchanged.delete(id);
  }

  of(id: string): EndWindow | undefined {
    return this.#seen.get(id);
  }

  #prune(cutoffMs: number): void {
    for (const [id, { toMs }] of this.#seen) if (toMs < cutoffMs) this.#seen.delete(id);
    for (const [id, lastSeenMs] of this.#unchanged) if (lastSeenMs < cutoffMs) this.#unchanged.delete(id);
  }
}
