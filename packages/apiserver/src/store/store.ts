import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * An object at one revision. The text is authoritative. `object()` parses it on demand, and drops the result under
 * memory pressure.
 */
export class Entry {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly revision: number;
  /** Compact JSON of the whole object, its `metadata.resourceVersion` equal to `revision`. */
  readonly text: string;
  #object: WeakRef<KubeObject> | undefined;

  /** @param object the parsed text, if available; the entry takes ownership. */
  constructor(key: string, revision: number, text: string, object?: KubeObject) {
    this.key = key;
    this.revision = revision;
    this.text = text;
    if (object !== undefined) this.#object = new WeakRef(object);
  }

  /** The parsed object, shared by all callers: never change it. */
  object(): KubeObject {
    const known = this.#object?.deref();
    if (known !== undefined) return known;
    const object = JSON.parse(this.text) as KubeObject;
    this.#object = new WeakRef(object);
    return object;
  }

  /** A copy that the caller owns. */
  copy(): KubeObject {
    return JSON.parse(this.text) as KubeObject;
  }
}

/** A stored change. Its entry is the object at this revision, or, for a removal, the object's last state. */
export interface Change {
  readonly bucket: string;
  readonly removed: boolean;
  readonly entry: Entry;
  /** The previous entry; undefined for a creation. */
  readonly previous: Entry | undefined;
}

/** A requested write. `expected` is the entry that the writer has read; undefined to create an object. */
export interface Write {
  readonly bucket: string;
  readonly key: string;
  readonly expected: Entry | undefined;
  readonly remove?: boolean;
  /**
   * Returns the object's text once its revision is known, and the object itself if that saves parsing. The store takes
   * ownership of the result.
   */
  readonly encode: (revision: number) => { readonly text: string; readonly object?: KubeObject };
}

/** A change to a bucket's key from `before` to `after`. */
export type VisibleChange = (bucket: string, key: string, before: Entry | undefined, after: Entry | undefined) => void;

/** Thrown if the key no longer has the expected entry; nothing was written. */
export class StaleWriteError extends Error {
  override readonly name = 'StaleWriteError';
}

/**
 * Thrown if the store can't write (disk full, closed). Nothing was written, unless the flush failed: the write may then
 * reappear after the next start.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Where an API server keeps its objects: ordered entries in named buckets, with one revision counter as in etcd. Reads are synchronous and see the
 * latest accepted write; `settled` resolves when that write is durable.
 *
 * Guarantees: a write's promise resolves when it is durable; changes reach subscribers in order of revision, when durable
 * and before the write's promise resolves; a revision is never reused, not even after a restart.
 */
export interface Store {
  /** The revision of the last durable write. */
  readonly revision: number;
  readonly buckets: readonly string[];
  get(bucket: string, key: string): Entry | undefined;
  /** Lists in key order; `prefix` selects keys that begin with it. The caller owns the array. */
  list(bucket: string, prefix?: string): Entry[];
  count(bucket: string): number;
  /** Total length of the texts in a bucket. */
  chars(bucket: string): number;
  /**
   * `get` and `list` without writes that are not durable yet: the state that has been announced to subscribers and is
   * visible to clients.
   */
  getDurable(bucket: string, key: string): Entry | undefined;
  listDurable(bucket: string, prefix?: string): Entry[];
  /**
   * Rejects with StaleWriteError or StoreError. The check is immediate, and `get` returns the new entry
   * immediately.
   */
  write(write: Write): Promise<Change>;
  /**
   * Undefined if all accepted writes are durable; otherwise a promise that resolves when these writes are durable,
   * without waiting for later ones.
   */
  settled(): Promise<void> | undefined;
  /** Delivers changes in batches, one for each commit. Returns the unsubscribe function. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
  /**
   * Calls back in the same event-loop turn in which `get` changes: for each accepted write, and for each write that is rolled back because it could
   * not be stored. The listener must not throw. Returns the unsubscribe function.
   */
  follow(listener: VisibleChange): () => void;
  close(): Promise<void>;
}
