/** How long an unused record of a deletion is kept. */
const DELETED_TTL_MS = 3_600_000;

/** A period in which another process may have sent requests that no list reflects yet. */
export interface InheritedUncertainty {
  /** End of the period. */
  readonly untilMs: number;
  /** Whether the owner was created later. */
  isNew(owner: string): boolean;
}

/**
 * Creates and deletes sent by this process that no list shows yet.
 *
 * **Guarantees.** A step that finds its resource neither in the shared list nor in the ledger may create it. A
 * create with a response counts as existing until a list that began after the response confirms it. After a create
 * whose outcome is unknown (timeout, broken connection), the state is "settling" until a list that began `settleMs`
 * later has been seen.
 *
 * After a takeover from another process, every owner that the other process may have known is treated as if it had a
 * create with an unknown outcome.
 *
 * **Caveats.** In memory only. After a restart, only lists that begin after the start are used. A create that was in
 * flight at the crash and takes effect later shows up as a second resource with the same mark; the steps then keep the
 * oldest resource and delete the others.
 */
export class Ledger<T extends { readonly id: string }> {
  readonly #settleMs: number;
  readonly #inheritedUncertainty: InheritedUncertainty | undefined;
  readonly #recorded = new Map<string, Map<string, { readonly object: T; readonly atMs: number }>>();
  readonly #deleted = new Map<string, number>();
  readonly #unknownSince = new Map<string, number>();
  #lastRecordedMs = Number.NEGATIVE_INFINITY;
  #lastDeletedMs = Number.NEGATIVE_INFINITY;

  /** `settleMs`: how long the cloud may still be working on a request that timed out. */
  constructor(settleMs: number, inheritedUncertainty?: InheritedUncertainty) {
    this.#settleMs = settleMs;
    this.#inheritedUncertainty = inheritedUncertainty;
  }

  /** Records `object` as created or updated by a response; the record is used until a later list. */
  recordWritten(owner: string, object: T, nowMs: number): void {
    const recorded = this.#recorded.get(owner) ?? new Map<string, { object: T; atMs: number }>();
    recorded.set(object.id, { object, atMs: nowMs });
    this.#recorded.set(owner, recorded);
    this.#lastRecordedMs = Math.max(this.#lastRecordedMs, nowMs);
    this.#unknownSince.delete(owner);
  }

  /** Time of the last response that reported a create or update: any list that begins later includes it. */
  get lastWrittenMs(): number {
    return this.#lastRecordedMs;
  }

  recordUnknown(owner: string, nowMs: number): void {
    this.#unknownSince.set(owner, nowMs);
  }

  /** Records that a request was sent; its outcome is unknown until `recordWritten`, `recordUnknown` or `forget`. */
  recordSent(owner: string): void {
    this.#unknownSince.set(owner, Number.POSITIVE_INFINITY);
  }

  /** Whether a create for a matching owner may still take effect even though no list shows it yet. */
  hasUnknownOutcome(isMatching: (owner: string) => boolean, nowMs: number): boolean {
    return [...this.#unknownSince].some(([owner, sinceMs]) => nowMs <= sinceMs + this.#settleMs && isMatching(owner));
  }

  /** Time of the last response that reported a create, update or delete, for callers that need a list that includes it. */
  get lastChangedMs(): number {
    return Math.max(this.#lastRecordedMs, this.#lastDeletedMs);
  }

  /** Records that the cloud accepted the deletion of `id`. */
  recordDeleted(id: string, nowMs: number): void {
    this.#lastDeletedMs = Math.max(this.#lastDeletedMs, nowMs);
    this.#deleted.set(id, nowMs);
    for (const [oldId, deletedAtMs] of this.#deleted) {
      if (deletedAtMs + DELETED_TTL_MS > nowMs) break;
      this.#deleted.delete(oldId);
    }
  }

  /**
   * The state of `owner`'s resources, given a list that began at `listBeganAtMs`.
   */
  observe(owner: string, listed: readonly T[], listBeganAtMs: number): OwnedState<T> {
    const recorded = this.#recorded.get(owner);
    const unknownSinceMs = this.#unknownSince.get(owner) ?? this.#inheritedUnknownSince(owner);
    if (unknownSinceMs !== undefined) {
      if (listBeganAtMs < unknownSinceMs + this.#settleMs) {
        if (listed.length === 0 && recorded === undefined) {
          return { kind: 'settling', untilMs: unknownSinceMs + this.#settleMs };
        }
      } else {
        this.#unknownSince.delete(owner);
      }
    }
    const items = new Map(listed.map((item) => [item.id, item]));
    for (const [id, { object, atMs }] of recorded ?? []) {
      if (listBeganAtMs > atMs) recorded?.delete(id);
      else items.set(id, object);
    }
    if (recorded?.size === 0) this.#recorded.delete(owner);
    const isDeleting = ({ id }: T) => this.isDeleting(id, listBeganAtMs);
    const all = [...items.values()];
    return { kind: 'known', items: all.filter((item) => !isDeleting(item)), deleting: all.filter(isDeleting) };
  }

  #inheritedUnknownSince(owner: string): number | undefined {
    return this.#inheritedUncertainty?.isNew(owner) === false ? this.#inheritedUncertainty.untilMs : undefined;
  }

  /**
   * The end of the latest period of uncertainty that has ended by `nowMs`; only lists that began later are conclusive.
   */
  lastResolvedMs(nowMs: number): number {
    const resolvedMs = [...this.#unknownSince.values()].map((sinceMs) => sinceMs + this.#settleMs);
    return Math.max(Number.NEGATIVE_INFINITY, ...resolvedMs.filter((endMs) => endMs <= nowMs));
  }

  /** Whether the cloud has accepted the deletion of `id` and no later list has shown it again. */
  isDeleting(id: string, listBeganAtMs: number): boolean {
    const deletedAtMs = this.#deleted.get(id);
    if (deletedAtMs === undefined) return false;
    if (listBeganAtMs <= deletedAtMs + this.#settleMs) return true;
    this.#deleted.delete(id);
    return false;
  }

  /** Drops records of a deleted owner. */
  forget(owner: string): void {
    this.#recorded.delete(owner);
    this.#unknownSince.delete(owner);
  }
}

export type OwnedState<T> =
  /**
   * A create may still be in progress in the cloud, so callers must neither create nor conclude that the resource is
   * missing.
   */
  | { readonly kind: 'settling'; readonly untilMs: number }
  /**
   * `items` exist: they are listed, or were recently created by this process. `deleting` are listed, but are being
   * deleted.
   */
  | { readonly kind: 'known'; readonly items: readonly T[]; readonly deleting: readonly T[] };
