/** Sets by group, each in insertion order. A group without items is removed. */
export class GroupedSets<Item> {
  readonly #groups = new Map<string, Set<Item>>();
  #size = 0;

  /** Number of items in all groups. */
  get size(): number {
    return this.#size;
  }

  sizeOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  /** The first item added to the group. */
  oldestOf(group: string): Item | undefined {
    const [oldest] = this.#groups.get(group) ?? [];
    return oldest;
  }

  /** The group with the most items; on a tie, the oldest one. */
  get largest(): string | undefined {
    let largest: string | undefined;
    for (const [group, { size }] of this.#groups) {
      if (largest === undefined || size > this.sizeOf(largest)) largest = group;
    }
    return largest;
  }

  add(group: string, item: Item): void {
    const items = this.#groups.get(group) ?? new Set();
    if (items.has(item)) return;
    this.#groups.set(group, items.add(item));
    this.#size += 1;
  }

  delete(group: string, item: Item): void {
    const items = this.#groups.get(group);
    if (!items?.delete(item)) return;
    this.#size -= 1;
    if (items.size === 0) this.#groups.delete(group);
  }
}
