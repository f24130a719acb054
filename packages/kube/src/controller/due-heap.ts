interface Slot<Item> {
  readonly item: Item;
  dueMs: number;
  readonly sequence: number;
}

/** Items by due time, each at most once; ties are served in insertion order. Push, remove and pop take O(log n). */
export class DueHeap<Item> {
  readonly #slots: Slot<Item>[] = [];
  readonly #positions = new Map<Item, number>();
  #sequence = 0;

  /** Due time of the first item. */
  get nextDueMs(): number | undefined {
    return this.#slots[0]?.dueMs;
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Adds an item, or updates the time of an existing one. */
  push(item: Item, dueMs: number): void {
    this.remove(item);
    const slot = { item, dueMs, sequence: this.#sequence++ };
    this.#slots.push(slot);
    this.#siftUp(this.#slots.length - 1, slot);
  }

  pop(): Item | undefined {
    const first = this.#slots[0];
    if (first) this.remove(first.item);
    return first?.item;
  }

  remove(item: Item): boolean {
    const position = this.#positions.get(item);
    if (position === undefined) return false;
    this.#positions.delete(item);
    const last = this.#slots.pop();
    if (last && last.item !== item) {
      this.#siftUp(position, last);
      this.#siftDown(this.#positions.get(last.item) ?? position, last);
    }
    return true;
  }

  clear(): void {
    this.#slots.length = 0;
    this.#positions.clear();
  }

  #siftUp(start: number, slot: Slot<Item>): void {
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#slots[parent];
      if (!above || !isBefore(slot, above)) break;
      this.#place(position, above);
      position = parent;
    }
    this.#place(position, slot);
  }

  #siftDown(start: number, slot: Slot<Item>): void {
    let position = start;
    for (;;) {
      const left = this.#slots[2 * position + 1];
      const right = this.#slots[2 * position + 2];
      const below = left && right && isBefore(right, left) ? right : left;
      if (!below || !isBefore(below, slot)) break;
      const next = below === left ? 2 * position + 1 : 2 * position + 2;
      this.#place(position, below);
      position = next;
    }
    this.#place(position, slot);
  }

  #place(position: number, slot: Slot<Item>): void {
    this.#slots[position] = slot;
    this.#positions.set(slot.item, position);
  }
}

function isBefore(a: Slot<unknown>, b: Slot<unknown>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}
