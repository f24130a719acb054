import type { Grant } from '@fairway/base/fence';

/** Works on keys; implemented by `Controller`. */
export interface KeyWorker {
  /**
   * This process has taken over the matching keys: enqueue all of them. May scan whole caches, because it is called
   * only at a handover.
   */
  enqueueAll(isMatching: (key: string) => boolean): void;
  /** Resolves when no work on a matching key is running. */
  drained(isMatching: (key: string) => boolean): Promise<void>;
  /** This process no longer owns the matching keys, and no work with a valid grant runs on them: release their resources and state. */
  release?(isMatching: (key: string) => boolean): Promise<void> | void;
}

/** The uninterrupted period in which this process owns a key. */
export interface Tenure {
  /** When the period began, by the clock. Information from before then may be stale. */
  readonly sinceMs: number;
  /** Whether another process owned the key before. Its last requests may still be in flight when the period begins. */
  readonly isInherited: boolean;
}

/** Decides which keys this process works on; implemented by `ShardMember`. */
export interface KeyOwner {
  /** Whether this process currently owns the key. */
  stillOwns(key: string): boolean;
  /**
   * Permission to act on the key while this process owns it without interruption; undefined if this process does not
   * own the key.
   */
  grant(key: string): Grant | undefined;
  /** Undefined if this process does not own the key. */
  tenure(key: string): Tenure | undefined;
  /** Registers a worker. It is notified of keys taken over, and drained before keys are given up. */
  register(worker: KeyWorker): void;
}
