/**
 * Cinder reports a volume's new size before Nova informs the guest. If the kubelet acts first, it extends the file
 * system to the old size, considers the expansion done and never checks again. cinder-csi-plugin checks sizes only with
 * `rescan-on-resize`, which always fails for encrypted volumes because guests see them without their header.
 */
const GUEST_RESIZE_MS = 15_000;

interface ObservedSize {
  readonly sizeGiB: number;
  readonly sinceMs: number;
}

/**
 * Tracks when each attached volume was first observed at its current size. The times are not persisted: after a restart the
 * wait begins again.
 */
export class GuestSizes {
  readonly #observed = new Map<string, ObservedSize>();

  /** Remaining wait until the guest can be assumed to see the new size too; 0 afterwards. */
  remainingMs(id: string, sizeGiB: number, nowMs: number): number {
    const seen = this.#observed.get(id);
    if (seen?.sizeGiB === sizeGiB) return Math.max(0, seen.sinceMs + GUEST_RESIZE_MS - nowMs);
    this.#forgetOlderThan(nowMs - 2 * GUEST_RESIZE_MS);
    this.#observed.set(id, { sizeGiB, sinceMs: nowMs });
    return GUEST_RESIZE_MS;
  }

  /** Drops volumes that are no longer queried. */
  #forgetOlderThan(ms: number): void {
    for (const [id, { sinceMs }] of this.#observed) if (sinceMs < ms) this.#observed.delete(id);
  }
}
