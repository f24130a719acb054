/** How often whoever watches something proves that it can write. */
export const PROOF_MS = 60_000;
/** Whoever has not proved it for so long was away, or could do nothing: its process or its API stood still, or another replica had the key. */
const BREAK_MS = 3 * PROOF_MS;

interface Watch {
  readonly sinceMs: number;
  readonly provenMs: number;
}

/** Since when this process has been able to act on an object, without a break. In memory, because a process that has ended acts on nothing. */
export class WatchTimes {
  readonly #watches = new Map<string, Watch>();

  /** Now, if it was not until just now. */
  sinceMs(key: string, nowMs: number): number {
    const watch = this.#watches.get(key);
    return watch !== undefined && nowMs - watch.provenMs <= BREAK_MS ? watch.sinceMs : nowMs;
  }

  isProofDue(key: string, nowMs: number): boolean {
    const watch = this.#watches.get(key);
    return watch === undefined || nowMs - watch.provenMs >= PROOF_MS;
  }

  /** A write has succeeded, or nothing is to be watched. */
  prove(key: string, nowMs: number): void {
    this.#watches.set(key, { sinceMs: this.sinceMs(key, nowMs), provenMs: nowMs });
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#watches.delete(key);
  }
}
