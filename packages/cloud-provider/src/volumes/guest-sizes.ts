/**
 * Cinder says a volume's new size first; then Nova tells the server's guest. A kubelet that is quicker has the file system grow to the size of before,
 * counts that as done, and never looks again: cinder-csi-plugin checks sizes with `rescan-on-resize` alone, which fails for good on encrypted
 * volumes, for guests see them without their header.
 */
const GUEST_FOLLOWS_MS = 15_000;

interface Seen {
  readonly sizeGiB: number;
  readonly sinceMs: number;
}

/** When volumes that servers have were first seen with their size. Lost with the process: then the wait begins anew. */
export class GuestSizes {
  readonly #seen = new Map<string, Seen>();

  /** How long to wait until the guest has the size, too; 0 when that is over. */
  restMs(id: string, sizeGiB: number, nowMs: number): number {
    const seen = this.#seen.get(id);
    if (seen?.sizeGiB === sizeGiB) return Math.max(0, seen.sinceMs + GUEST_FOLLOWS_MS - nowMs);
    this.#forgetBefore(nowMs - 2 * GUEST_FOLLOWS_MS);
    this.#seen.set(id, { sizeGiB, sinceMs: nowMs });
    return GUEST_FOLLOWS_MS;
  }

  /** Of volumes that nobody asks about any more. */
  #forgetBefore(ms: number): void {
    for (const [id, { sinceMs }] of this.#seen) if (sinceMs < ms) this.#seen.delete(id);
  }
}
