/**
 * Cinder reports a volume's new size before Nova informs the guest. A kubelet that is faster extends the file system to the old size, considers that done and
 * never checks again: cinder-csi-plugin checks sizes only with `rescan-on-resize`, which always fails for encrypted volumes, as guests see them without their
 * header.
 */
const GUEST_FOLLOWS_MS = 15_000;

interface Seen {
  readonly sizeGiB: number;
  readonly sinceMs: number;
}

/** When attached volumes were first observed with their size. Not persisted: after a restart the wait begins again. */
export class GuestSizes {
  readonly #seen = new Map<string, Seen>();

  /** Remaining wait until the guest also has the size; 0 when over. */
  restMs(id: string, sizeGiB: number, nowMs: number): number {
    const seen = this.#seen.get(id);
    if (seen?.sizeGiB === sizeGiB) return Math.max(0, seen.sinceMs + GUEST_FOLLOWS_MS - nowMs);
    this.#forgetBefore(nowMs - 2 * GUEST_FOLLOWS_MS);
    this.#seen.set(id, { sizeGiB, sinceMs: nowMs });
    return GUEST_FOLLOWS_MS;
  }

  /** Drops volumes that are no longer queried. */
  #forgetBefore(ms: number): void {
    for (const [id, { sinceMs }] of this.#seen) if (sinceMs < ms) this.#seen.delete(id);
  }
}
