import type { PacedChange } from '@fairway/openstack/cache/paces';

/** The part of a ResourceCache that lists more often while a change is expected. */
export interface ExpectingCache {
  expectChange(reason: string, change?: PacedChange): (isSeen?: boolean) => void;
}

/** What an object waits for; `other` is looked for as fast as any. */
export type ExpectedChange = PacedChange | 'other';

interface Held {
  readonly change: ExpectedChange;
  readonly end: (isSeen: boolean) => void;
}

/** Tracks which objects wait for a cache to show a change: one expectation per object, however many reconciles set it. */
export class CacheExpectations {
  readonly #held = new Map<string, Held>();

  /** Begins the expectation of `key`, in place of one of another change. */
  expect(key: string, cache: ExpectingCache, change: ExpectedChange): void {
    const held = this.#held.get(key);
    if (held?.change === change) return;
    const end = cache.expectChange(key, change === 'other' ? undefined : change);
    this.settle(key);
    this.#held.set(key, { change, end });
  }

  /** Of the objects that wait. */
  keys(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Ends the expectation of `key`; `seen` is the change that the last list shows of it, if any. */
  settle(key: string, seen?: ExpectedChange): void {
    const held = this.#held.get(key);
    held?.end(held.change === seen);
    this.#held.delete(key);
  }
}
