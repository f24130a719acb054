import type { Clock } from '@fairway/base/clock';

/**
 * As in client-go: if the informer has not shown our writes after this time, it has missed something and the
 * expectation expires.
 */
const EXPIRY_MS = 5 * 60_000;

interface OwnerExpectations {
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

/**
 * Writes of a controller that its cache does not show yet, by the owner's key: client-go's ControllerExpectations.
 * Without them, a controller that counts children (a ReplicaSet) would create them twice when its cache is stale.
 *
 * Expected flow: call `expectCreations` before the creates, and `creationObserved` in the informer's onAdd and for each
 * create that failed; deletions likewise, by the child's key. Neither create nor delete while `isSatisfied` is false.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #byOwner = new Map<string, OwnerExpectations>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreations(ownerKey: string, count: number): void {
    this.#begin(ownerKey).creations += count;
  }

  expectDeletions(ownerKey: string, childKeys: Iterable<string>): void {
    const expected = this.#begin(ownerKey);
    for (const key of childKeys) expected.deletions.add(key);
  }

  /** Records that a child was observed, or that its creation failed. */
  creationObserved(ownerKey: string): void {
    const expected = this.#byOwner.get(ownerKey);
    if (expected && expected.creations > 0) expected.creations--;
  }

  /** Records that a child was deleted or is terminating, or that its deletion failed. */
  deletionObserved(ownerKey: string, childKey: string): void {
    this.#byOwner.get(ownerKey)?.deletions.delete(childKey);
  }

  /** Whether the cache shows all expected writes, or the expectation has expired. */
  isSatisfied(ownerKey: string): boolean {
    const expected = this.#byOwner.get(ownerKey);
    if (!expected) return true;
    const isFulfilled = expected.creations <= 0 && expected.deletions.size === 0;
    if (!isFulfilled && this.#clock.now() - expected.sinceMs < EXPIRY_MS) return false;
    this.#byOwner.delete(ownerKey);
    return true;
  }

  /** Forgets a deleted owner. */
  delete(ownerKey: string): void {
    this.#byOwner.delete(ownerKey);
  }

  #begin(ownerKey: string): OwnerExpectations {
    if (this.isSatisfied(ownerKey)) {
      this.#byOwner.set(ownerKey, { creations: 0, deletions: new Set(), sinceMs: this.#clock.now() });
    }
    const expected = this.#byOwner.get(ownerKey);
    if (!expected) throw new Error('unreachable: expectations of this owner were just set');
    return expected;
  }
}
