/** The part of a ResourceCache that lists more often while a change is expected. */
export interface ExpectingCache {
  expectChange(reason: string): () => void;
}

/** Tracks which objects wait for a cache to show a change: one expectation per object, however many reconciles set it. */
export class CacheExpectations {
  readonly #held = new Map<string, () => void>();

  /** Begins or ends the expectation of `key`. */
  expect(key: string, cache: ExpectingCache, isExpecting: boolean): void {
    if (!isExpecting) this.settle(key);
    else if (!this.#held.has(key)) this.#held.set(key, cache.expectChange(key));
  }

  /** Of the objects that wait. */
  keys(): readonly string[] {
    return [...this.#held.keys()];
  }

  settle(key: string): void {
    this.#held.get(key)?.();
    this.#held.delete(key);
  }
}
