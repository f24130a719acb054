/** How often a watcher proves that it can write. */
export const PROOF_INTERVAL_MS = 60_000;
/**
 * A watcher without such proof for this long could not act: its process or API was stalled, or another replica owned
 * the key.
 */
const MAX_PROOF_GAP_MS = 3 * PROOF_INTERVAL_MS;

interface WatchRecord {
  readonly sinceMs: number;
  readonly provenMs: number;
}

/**
 * Tracks how long this process has been able to act on an object without interruption. In memory, because a process
 * that has exited cannot act.
 */
export class WatchTimes {
  readonly #watches = new Map<string, WatchRecord>();

  /** When the process became able to act on the object: now, if it was not able to before. */
  sinceMs(key: string, nowMs: number): number {
    const watch = this.#watches.get(key);
    return watch !== undefined && nowMs - watch.provenMs <= MAX_PROOF_GAP_MS ? watch.sinceMs : nowMs;
  }

  isProofDue(key: string, nowMs: number): boolean {
    const watch = this.#watches.get(key);
    return watch === undefined || nowMs - watch.provenMs >= PROOF_INTERVAL_MS;
  }

  /** Records that a write has succeeded, or that there is nothing to watch. */
  prove(key: string, nowMs: number): void {
    this.#watches.set(key, { sinceMs: this.sinceMs(key, nowMs), provenMs: nowMs });
  }

  /** Drops the state of a deleted object. */
  forget(key: string): void {
    this.#watches.delete(key);
  }
}
