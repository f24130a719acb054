import { Fifo } from './fifo.ts';

/** The waiting and running items of one owner. */
interface Lane<T> {
  readonly owner: string;
  readonly items: Fifo<T>;
  running: number;
}

/**
 * An owner's running items may be at most this multiple of the free slots: a single owner gets three quarters of all
 * slots, and each additional owner leaves some free.
 */
const SLOTS_PER_FREE_SLOT = 3;

/** Whether an owner with this many running items may take a free slot. If there are several slots, the last one is reserved for other owners. */
export function mayRunMore(running: number, freeSlots: number): boolean {
  return freeSlots > 0 && running < freeSlots * SLOTS_PER_FREE_SLOT && (running === 0 || freeSlots > 1);
}

/**
 * A queue for a limited number of slots that is fair among owners.
 *
 * Guarantees: owners are served round-robin, one item each, however many items one owner has. Items of one owner are
 * served first come, first served. An owner with long-running items never takes all slots, if there is more than one.
 * Adding takes constant time; taking takes at most as many steps as there are slots.
 */
export class FairQueue<T> {
  readonly #slots: number;
  readonly #lanes = new Map<string, Lane<T>>();
  /** Lanes with items, in round-robin order. */
  readonly #turns = new Fifo<Lane<T>>();
  #waiting = 0;
  #running = 0;

  /** @param slots maximum items that run at a time; unlimited by default. */
  constructor(slots = Number.POSITIVE_INFINITY) {
    this.#slots = slots;
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  add(owner: string, item: T): void {
    const lane = this.#lanes.get(owner) ?? { owner, items: new Fifo<T>(), running: 0 };
    this.#lanes.set(owner, lane);
    if (lane.items.size === 0) this.#turns.push(lane);
    lane.items.push(item);
    this.#waiting++;
  }

  /**
   * The next item, which runs until `done`; undefined if none is waiting, or if all waiting items belong to owners at
   * their limit.
   */
  take(): T | undefined {
    // Owners at their limit have running items, so there are never more of them than slots.
    for (let left = this.#turns.size; left > 0; left--) {
      const lane = this.#turns.shift();
      if (lane === undefined) return undefined;
      if (!mayRunMore(lane.running, this.#slots - this.#running)) {
        if (this.#running >= this.#slots) left = 0;
        this.#turns.push(lane);
        continue;
      }
      const item = lane.items.shift();
      if (lane.items.size > 0) this.#turns.push(lane);
      lane.running++;
      this.#running++;
      this.#waiting--;
      return item;
    }
    return undefined;
  }

  /** Reports that an item of the owner has finished. */
  done(owner: string): void {
    const lane = this.#lanes.get(owner);
    if (lane === undefined || lane.running === 0) return;
    lane.running--;
    this.#running--;
    if (lane.running === 0 && lane.items.size === 0) this.#lanes.delete(owner);
  }

  /** Drops all waiting items. */
  clear(): void {
    this.#turns.clear();
    this.#waiting = 0;
    for (const lane of this.#lanes.values()) {
      lane.items.clear();
      if (lane.running === 0) this.#lanes.delete(lane.owner);
    }
  }
}
