/** How long a deletion is remembered for which nobody asks any more. */
const FORGET_DELETED_MS = 3_600_000;

/** A time in which somebody else may have asked for things that no list shows yet. */
export interface Inheritance {
  /** When it ended. */
  readonly untilMs: number;
  /** Whether the owner came into being later. */
  isNew(owner: string): boolean;
}

/**
 * What this process asked the cloud to make or delete and that no list has shown yet.
 *
 * **Guarantees.** With the ledger beside the shared list, a step that reads "there is none" may create: a create that was
 * answered counts as existing until a list that began after it confirms it, and after a create whose outcome is unknown
 * (timeout, broken connection) the answer is "settling" until a list that began `settleMs` later has been seen.
 *
 * Where there was another process before this one, every owner that it may have known is in doubt like after a create of unknown outcome.
 *
 * **Caveats.** It is memory only. A process that starts over reads lists that begin after its start; a create that the dead
 * process had in flight and that the cloud finishes later still shows up as a second owner of the same mark, and the
 * steps keep the oldest and delete the rest.
 */
export class Ledger<T extends { readonly id: string }> {
  readonly #settleMs: number;
  readonly #inheritance: Inheritance | undefined;
  readonly #made = new Map<string, Map<string, { readonly object: T; readonly atMs: number }>>();
  readonly #deleted = new Map<string, number>();
  readonly #unknownSince = new Map<string, number>();

  /** `settleMs`: how long the cloud may still be working on a request that we gave up on. */
  constructor(settleMs: number, inheritance?: Inheritance) {
    this.#settleMs = settleMs;
    this.#inheritance = inheritance;
  }

  /** The cloud answered with `object`, made or changed; until a later list shows it, this is how it is. */
  recordMade(owner: string, object: T, nowMs: number): void {
    const made = this.#made.get(owner) ?? new Map<string, { object: T; atMs: number }>();
    made.set(object.id, { object, atMs: nowMs });
    this.#made.set(owner, made);
    this.#unknownSince.delete(owner);
  }

  recordUnknown(owner: string, nowMs: number): void {
    this.#unknownSince.set(owner, nowMs);
  }

  /** The cloud accepted the deletion of `id`. */
  recordDeleted(id: string, nowMs: number): void {
    this.#deleted.set(id, nowMs);
    for (const [oldId, deletedAtMs] of this.#deleted) {
      if (deletedAtMs + FORGET_DELETED_MS > nowMs) break;
      this.#deleted.delete(oldId);
    }
  }

  /**
   * What is known of the resources of `owner`, given what a list shows of them that began at `listBeganAtMs`.
   */
  observe(owner: string, listed: readonly T[], listBeganAtMs: number): OwnedState<T> {
    const made = this.#made.get(owner);
    const unknownSince = this.#unknownSince.get(owner) ?? this.#inheritedDoubt(owner);
    if (unknownSince !== undefined) {
      if (listBeganAtMs < unknownSince + this.#settleMs) {
        if (listed.length === 0 && made === undefined) {
          return { kind: 'settling', untilMs: unknownSince + this.#settleMs };
        }
      } else {
        this.#unknownSince.delete(owner);
      }
    }
    const items = new Map(listed.map((item) => [item.id, item]));
    for (const [id, { object, atMs }] of made ?? []) {
      if (listBeganAtMs > atMs) made?.delete(id);
      else items.set(id, object);
    }
    if (made?.size === 0) this.#made.delete(owner);
    const isDeleting = ({ id }: T) => this.isDeleting(id, listBeganAtMs);
    const all = [...items.values()];
    return { kind: 'known', items: all.filter((item) => !isDeleting(item)), deleting: all.filter(isDeleting) };
  }

  #inheritedDoubt(owner: string): number | undefined {
    return this.#inheritance?.isNew(owner) === false ? this.#inheritance.untilMs : undefined;
  }

  /** When the last of the doubts ended that are over by `nowMs`; a list that began earlier does not end them. */
  doubtEndedMs(nowMs: number): number {
    const ended = [...this.#unknownSince.values()].map((sinceMs) => sinceMs + this.#settleMs);
    return Math.max(Number.NEGATIVE_INFINITY, ...ended.filter((endMs) => endMs <= nowMs));
  }

  /** Whether the cloud has accepted the deletion of `id` and no later list has shown it again. */
  isDeleting(id: string, listBeganAtMs: number): boolean {
    const deletedAtMs = this.#deleted.get(id);
    if (deletedAtMs === undefined) return false;
    if (listBeganAtMs <= deletedAtMs + this.#settleMs) return true;
    this.#deleted.delete(id);
    return false;
  }

  /** Drops what is said of an owner that is gone. */
  forget(owner: string): void {
    this.#made.delete(owner);
    this.#unknownSince.delete(owner);
  }
}

export type OwnedState<T> =
  /** A create may still be in progress in the cloud: neither create nor conclude that there is nothing. */
  | { readonly kind: 'settling'; readonly untilMs: number }
  /** `items` are there, listed or made by us and too young to be; `deleting` are listed but on their way out. */
  | { readonly kind: 'known'; readonly items: readonly T[]; readonly deleting: readonly T[] };
