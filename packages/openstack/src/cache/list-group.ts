import type { Identifiable } from './snapshot.ts';

/** A cache that can list for others and adopts their lists. */
export interface ListGroupMember<T extends Identifiable> {
  onListByOther(startedMs: number, listed: readonly T[]): void;
  /** Called when another member's list has ended, successfully or not. */
  resume(): void;
}

/**
 * Caches of one kind of resource in one project, with different credentials, that share one list.
 *
 * ## Guarantees
 * - One member lists at a time. The result is shared with the time at which the list began.
 * - Only a cache whose own list has succeeded is a member: a cache with a rejected credential sees nothing through
 *   other caches, and reports its own error.
 */
export class ListGroup<T extends Identifiable> {
  readonly #members = new Set<ListGroupMember<T>>();
  readonly #onEmpty: () => void;
  #lister: ListGroupMember<T> | undefined;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  join(member: ListGroupMember<T>): void {
    this.#members.add(member);
  }

  leave(member: ListGroupMember<T>): void {
    this.end(member);
    if (this.#members.delete(member) && this.#members.size === 0) this.#onEmpty();
  }

  /** Whether the member may list now; if not, `resume` is called later. */
  begin(member: ListGroupMember<T>): boolean {
    if (this.#lister !== undefined) return false;
    this.#lister = member;
    return true;
  }

  share(by: ListGroupMember<T>, startedMs: number, listed: readonly T[]): void {
    for (const member of this.#members) if (member !== by) member.onListByOther(startedMs, listed);
  }

  end(member: ListGroupMember<T>): void {
    if (this.#lister !== member) return;
    this.#lister = undefined;
    for (const other of this.#members) if (other !== member) other.resume();
  }
}

/** The groups of one cloud and region, by project and kind. */
export class ListGroups {
  readonly #groups = new Map<string, ListGroup<Identifiable>>();

  /** `kind` determines T. */
  of<T extends Identifiable>(projectId: string, kind: string): ListGroup<T> {
    const key = JSON.stringify([projectId, kind]);
    return this.#groups.get(key) ?? this.#add(key);
  }

  #add(key: string): ListGroup<Identifiable> {
    const group = new ListGroup<Identifiable>(() => {
      if (this.#groups.get(key) === group) this.#groups.delete(key);
    });
    this.#groups.set(key, group);
    return group;
  }
}
