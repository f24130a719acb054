/** One who works on keys: a Controller. */
export interface KeyWorker {
  /** More keys have become ours: look at all of them. */
  enqueueAll(): void;
  /** Resolves as soon as no work on a matching key is under way. */
  drained(isMatching: (key: string) => boolean): Promise<void>;
}

/** Says which keys are this process's to work on; a `ShardMember` is one. */
export interface KeyOwner {
  /** Whether the key is ours at this moment: to be asked before each side effect. */
  stillMine(key: string): boolean;
  /** The worker is told of keys that come and is waited for with those that go. */
  register(worker: KeyWorker): void;
}
