import { Bucket } from './bucket.ts';
import {
  type Change,
  Entry,
  StaleWriteError,
  type Store,
  StoreError,
  type VisibleChange,
  type Write,
} from './store.ts';

interface Pending {
  readonly change: Change;
  readonly resolve: (change: Change) => void;
  readonly reject: (error: Error) => void;
}

/** Makes the changes durable and calls `commit` or `abort` on the keyspace; may gather those of several keyspaces first. */
export type RequestCommit = (keyspace: Keyspace) => void;

/**
 * The part that all stores share: the index in memory, revisions, checks and subscribers. What a write changes is visible to
 * `get` at once, so that the next writer builds on it, but is answered and announced when `commit` is called.
 */
export class Keyspace implements Store {
  readonly name: string;
  readonly #requestCommit: RequestCommit;
  readonly #buckets = new Map<string, Bucket>();
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  readonly #followers = new Set<VisibleChange>();
  #durableRevision: number;
  #lastRevision: number;
  readonly #pending: Pending[] = [];
  #settled: PromiseWithResolvers<void> | undefined;
  #closed: StoreError | undefined;

  constructor(name: string, revision: number, requestCommit: RequestCommit) {
    this.name = name;
    this.#durableRevision = revision;
    this.#lastRevision = revision;
    this.#requestCommit = requestCommit;
  }

  get revision(): number {
    return this.#durableRevision;
  }

  get buckets(): readonly string[] {
    return [...this.#buckets.keys()];
  }

  get(bucket: string, key: string): Entry | undefined {
    return this.#buckets.get(bucket)?.get(key);
  }

  list(bucket: string, prefix = ''): Entry[] {
    return this.#buckets.get(bucket)?.list(prefix) ?? [];
  }

  count(bucket: string): number {
    return this.#buckets.get(bucket)?.size ?? 0;
  }

  settled(): Promise<void> | undefined {
    return this.#settled?.promise;
  }

  subscribe(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  follow(listener: VisibleChange): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  write(write: Write): Promise<Change> {
    if (this.#closed) return Promise.reject(this.#closed);
    const { bucket, key, expected, remove = false } = write;
    const previous = this.get(bucket, key);
    if (previous !== expected) return Promise.reject(new StaleWriteError(`${bucket} ${key} has changed`));

    const revision = this.#lastRevision + 1;
    const { text, object } = write.encode(revision);
    const entry = new Entry(key, revision, text, object);
    this.#lastRevision = revision;
    const change: Change = { bucket, removed: remove, entry, previous };
    this.#show(bucket, key, previous, remove ? undefined : entry);

    const first = this.#pending.length === 0;
    this.#settled ??= Promise.withResolvers();
    const { promise, resolve, reject } = Promise.withResolvers<Change>();
    this.#pending.push({ change, resolve, reject });
    if (first) this.#requestCommit(this);
    return promise;
  }

  /** For a store that fills itself from disk; keys of one bucket come in order. */
  load(bucket: string, entry: Entry): void {
    this.#place(bucket, entry.key, entry);
  }

  /** Pending changes that are not durable yet, in order of revision. */
  get pendingChanges(): readonly Change[] {
    return this.#pending.map((pending) => pending.change);
  }

  /** The first `count` pending changes are durable, all of them by default: announces and answers them. */
  commit(count = this.#pending.length): void {
    const pending = this.#pending.splice(0, count);
    const last = pending.at(-1);
    if (last === undefined) return;
    this.#durableRevision = last.change.entry.revision;
    const changes = pending.map(({ change }) => change);
    for (const listener of this.#listeners) listener(changes);
    // Waiting readers are resolved first, since writers may write again.
    if (this.#pending.length === 0) this.#settle();
    for (const { resolve, change } of pending) resolve(change);
  }

  /** Rolls back pending changes that could not be stored, newest first, and rejects them. */
  abort(error: StoreError): void {
    const pending = this.#pending.splice(0);
    for (const { change } of pending.toReversed()) {
      const { bucket, entry, removed, previous } = change;
      this.#show(bucket, entry.key, removed ? undefined : entry, previous);
    }
    for (const { reject } of pending) reject(error);
    this.#settle();
  }

  async close(): Promise<void> {
    await this.settled();
    this.#closed ??= new StoreError(`store ${this.name} is closed`);
    this.#listeners.clear();
    this.#followers.clear();
  }

  #show(bucket: string, key: string, before: Entry | undefined, after: Entry | undefined): void {
    this.#place(bucket, key, after);
    for (const listener of this.#followers) listener(bucket, key, before, after);
  }

  #place(bucket: string, key: string, entry: Entry | undefined): void {
    let entries = this.#buckets.get(bucket);
    if (entries === undefined) {
      if (entry === undefined) return;
      entries = new Bucket();
      this.#buckets.set(bucket, entries);
    }
    if (entry === undefined) entries.delete(key);
    else entries.set(entry);
    if (entries.size === 0) this.#buckets.delete(bucket);
  }

  #settle(): void {
    const settled = this.#settled;
    this.#settled = undefined;
    settled?.resolve();
  }
}
