import type { PacedChange } from '@fairway/openstack/cache/paces';

/** The part of a ResourceCache that lists more often while a change is expected. */
export interface ExpectationCache {
  expectChange(reason: string, change?: PacedChange): (isSeen?: boolean) => void;
}

/** What an object is waiting for; `other` is polled at the highest rate. */
export type ExpectedChange = PacedChange | 'other';

interface PendingChange {
  readonly change: ExpectedChange;
  readonly end: (isSeen: boolean) => void;
}

/**
 * Tracks which objects are waiting for a cache to observe a change: one expectation per object, regardless of how many
 * reconciles set it.
 */
export class CacheExpectations {
  readonly #pending = new Map<string, PendingChange>();

  /** Starts the expectation of `key`, replacing any earlier one. */
  expect(key: string, cache: ExpectationCache, change: ExpectedChange): void {
    const held = this.#pending.get(key);
    if (held?.change === change) return;
    const end = cache.expectChange(key, change === 'other' ? undefined : change);
    this.settle(key);
    this.#pending.set(key, { change, end });
  }

  /** Identities of the waiting objects. */
  keys(): readonly string[] {
    return [...this.#pending.keys()];
  }

  /** Ends the expectation of `key`; `seen` is the change that the last list contains for it, if any. */
  settle(key: string, seen?: ExpectedChange): void {
    const held = this.#pending.get(key);
    held?.end(held.change === seen);
    this.#pending.delete(key);
  }
}
