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

interface Pending extends PromiseWithResolvers<Change> {
  readonly change: Change;
}

/**
 * Makes the changes durable, and calls `commit` or `abort` on the keyspace. May first batch changes from several
 * keyspaces.
 */
export type RequestCommit = (keyspace: Keyspace) => void;

/**
 * The part that all stores share: the index in memory, revisions, checks and subscribers. A write is immediately
 * visible to `get`, so the next writer builds on it. It is acknowledged and announced when `commit` is called.
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
  /** The durable entries that differ from `get`, by bucket and key; undefined for a key without a durable entry. */
  readonly #durable = new Map<string, Map<string, Entry | undefined>>();
  #closed: StoreError | undefined;

  /** @param lastRevision the last revision that may have been announced: above `revision` if acknowledged writes were lost. */
  constructor(name: string, revision: number, requestCommit: RequestCommit, lastRevision = revision) {
    this.name = name;
    this.#durableRevision = revision;
    this.#lastRevision = lastRevision;
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

  chars(bucket: string): number {
    return this.#buckets.get(bucket)?.chars ?? 0;
  }

  getDurable(bucket: string, key: string): Entry | undefined {
    const others = this.#durable.get(bucket);
    return others?.has(key) ? others.get(key) : this.get(bucket, key);
  }

  listDurable(bucket: string, prefix = ''): Entry[] {
    const entries = this.list(bucket, prefix);
    const others = this.#durable.get(bucket);
    return others === undefined ? entries : withReplacements(entries, others, prefix);
  }

  settled(): Promise<void> | undefined {
    const last = this.#pending.at(-1);
    return last && Promise.allSettled([last.promise]).then(() => undefined);
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
    this.#keepDurable(bucket, key, previous);

    const first = this.#pending.length === 0;
    const pending = { ...Promise.withResolvers<Change>(), change };
    this.#pending.push(pending);
    if (first) this.#requestCommit(this);
    return pending.promise;
  }

  /** For a store that loads itself from disk; keys of one bucket arrive in order. */
  load(bucket: string, entry: Entry): void {
    this.#place(bucket, entry.key, entry);
  }

  /** Pending changes that are not durable yet, in order of revision. */
  get pendingChanges(): readonly Change[] {
    return this.#pending.map((pending) => pending.change);
  }

  /**
   * Announces and acknowledges the first `count` pending changes, which have become durable; by default all of them.
   */
  commit(count = this.#pending.length): void {
    const pending = this.#pending.splice(0, count);
    const last = pending.at(-1);
    if (last === undefined) return;
    this.#durableRevision = last.change.entry.revision;
    const changes = pending.map(({ change }) => change);
    for (const change of changes) this.#becomeDurable(change);
    for (const listener of this.#listeners) listener(changes);
    for (const { resolve, change } of pending) resolve(change);
  }

  /** Rolls back pending changes that could not be stored, newest first, and rejects them. */
  abort(error: StoreError): void {
    const pending = this.#pending.splice(0);
    for (const { change } of pending.toReversed()) {
      const { bucket, entry, removed, previous } = change;
      this.#show(bucket, entry.key, removed ? undefined : entry, previous);
    }
    this.#durable.clear();
    for (const { reject } of pending) reject(error);
  }

  async close(): Promise<void> {
    this.#closed ??= new StoreError(`store ${this.name} is closed`);
    await this.settled();
    this.#listeners.clear();
    this.#followers.clear();
  }

  #show(bucket: string, key: string, previous: Entry | undefined, after: Entry | undefined): void {
    this.#place(bucket, key, after);
    for (const listener of this.#followers) listener(bucket, key, previous, after);
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

  /** If several writes to a key are pending, only the first has the durable entry. */
  #keepDurable(bucket: string, key: string, entry: Entry | undefined): void {
    const others = this.#durable.get(bucket);
    if (others === undefined) this.#durable.set(bucket, new Map([[key, entry]]));
    else if (!others.has(key)) others.set(key, entry);
  }

  #becomeDurable({ bucket, removed, entry }: Change): void {
    const others = this.#durable.get(bucket);
    const now = removed ? undefined : entry;
    if (this.get(bucket, entry.key) !== now) {
      others?.set(entry.key, now);
      return;
    }
    others?.delete(entry.key);
    if (others?.size === 0) this.#durable.delete(bucket);
  }
}

/** The entries in key order, with replacements for some keys. */
function withReplacements(
  entries: readonly Entry[],
  others: ReadonlyMap<string, Entry | undefined>,
  prefix: string,
): Entry[] {
  const matchingEntries = [...others].filter(([key]) => key.startsWith(prefix));
  if (matchingEntries.length === 0) return [...entries];
  const kept = entries.filter(({ key }) => !others.has(key));
  for (const [, entry] of matchingEntries) if (entry !== undefined) kept.push(entry);
  return kept.sort((a, b) => (a.key < b.key ? -1 : 1));
}
