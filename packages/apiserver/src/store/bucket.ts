import type { Entry } from './store.ts';

/** Entries in key order. An array with binary search: it uses the least memory, and lists need no sorting. */
export class Bucket {
  readonly #entries: Entry[] = [];
  #chars = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** Total length of all texts. */
  get chars(): number {
    return this.#chars;
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries[this.#position(key)];
    return entry?.key === key ? entry : undefined;
  }

  set(entry: Entry): void {
    const position = this.#position(entry.key);
    const found = this.#entries[position];
    const former = found?.key === entry.key ? found : undefined;
    this.#chars += entry.text.length - (former?.text.length ?? 0);
    if (position === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(position, former === undefined ? 0 : 1, entry);
  }

  delete(key: string): void {
    const position = this.#position(key);
    const former = this.#entries[position];
    if (former?.key !== key) return;
    this.#chars -= former.text.length;
    this.#entries.splice(position, 1);
  }

  list(prefix: string): Entry[] {
    if (prefix === '') return this.#entries.slice();
    return this.#entries.slice(this.#position(prefix), this.#position(`${prefix}\uffff`));
  }

  /** Position of the key, or its insertion position. */
  #position(key: string): number {
    const entries = this.#entries;
    let low = 0;
    let high = entries.length;
    const last = entries[high - 1];
    if (last !== undefined && last.key < key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as Entry).key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
