import type { Grant } from '@fairway/base/fence';

/** One who works on keys: a Controller. */
export interface KeyWorker {
  /** Matching keys have become ours: look at all of them. */
  enqueueAll(isMatching: (key: string) => boolean): void;
  /** Resolves as soon as no work on a matching key is under way. */
  drained(isMatching: (key: string) => boolean): Promise<void>;
  /** Matching keys are ours no longer, and nobody works on them under a good grant: drop what is held or known of them. */
  release?(isMatching: (key: string) => boolean): Promise<void> | void;
}

/** The time for which a key is this process's without a break. */
export interface Tenure {
  /** When it began, by the clock: what was learnt earlier may be out of date. */
  readonly sinceMs: number;
  /** Whether somebody had the key before, whose last requests may still be under way when it begins. */
  readonly isInherited: boolean;
}

/** Says which keys are this process's to work on; a `ShardMember` is one. */
export interface KeyOwner {
  /** Whether the key is ours at this moment. */
  stillMine(key: string): boolean;
  /** Leave to act on the key, for as long as it stays ours without a break; undefined when it is not ours. */
  grant(key: string): Grant | undefined;
  /** Undefined when the key is not ours. */
  tenure(key: string): Tenure | undefined;
  /** The worker is told of keys that come and is waited for with those that go. */
  register(worker: KeyWorker): void;
}
