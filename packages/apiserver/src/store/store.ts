import type { KubeObject } from '@fairway/kube/object/meta';

/** An object at one revision. The text is the truth; `object()` is parsed on demand and forgotten under memory pressure. */
export class Entry {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly revision: number;
  /** Compact JSON of the whole object, its `metadata.resourceVersion` equal to `revision`. */
  readonly text: string;
  #object: WeakRef<KubeObject> | undefined;

  /** @param object what the text says, where it is at hand; the entry owns it from now on. */
  constructor(key: string, revision: number, text: string, object?: KubeObject) {
    this.key = key;
    this.revision = revision;
    this.text = text;
    if (object !== undefined) this.#object = new WeakRef(object);
  }

  /** The parsed object, shared between all who ask: never change it. */
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

/** One write. Its entry is the object as of this revision, for a removal the object as it was last. */
export interface Change {
  readonly bucket: string;
  readonly removed: boolean;
  readonly entry: Entry;
  /** The previous entry; undefined for a creation. */
  readonly previous: Entry | undefined;
}

/** One write to be made. `expected` is what the writer has read: undefined to create. */
export interface Write {
  readonly bucket: string;
  readonly key: string;
  readonly expected: Entry | undefined;
  readonly remove?: boolean;
  /** Gives the object's text once its revision is known, and the object itself where that saves parsing; the store owns it then. */
  readonly encode: (revision: number) => { readonly text: string; readonly object?: KubeObject };
}

/** One key of a bucket held `before`, and holds `after` now. */
export type VisibleChange = (bucket: string, key: string, before: Entry | undefined, after: Entry | undefined) => void;

/** Thrown when the key no longer holds what the writer expected; nothing was written. */
export class StaleWriteError extends Error {
  override readonly name = 'StaleWriteError';
}

/** Thrown when the store can't write (disk full, closed); nothing was written, unless it was the flush that failed: then the next start may show it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Where an API server keeps its objects: ordered entries in named buckets, one revision counter over all of them as etcd
 * has it. Reads are synchronous and see the latest accepted write; `settled` tells when that write is durable.
 *
 * Guarantees: a write's promise resolves when it is durable; changes reach subscribers in order of revision, when durable
 * and before the write's promise resolves; a revision is never reused, not even after a restart.
 */
export interface Store {
  /** The revision of the last durable write. */
  readonly revision: number;
  readonly buckets: readonly string[];
  get(bucket: string, key: string): Entry | undefined;
  /** In key order; `prefix` narrows to keys that begin with it. The array is the caller's. */
  list(bucket: string, prefix?: string): Entry[];
  count(bucket: string): number;
  /** The length of all texts of a bucket. */
  chars(bucket: string): number;
  /** What `get` and `list` say without writes that are not durable yet: what the subscribers have been told, and what clients may see. */
  getDurable(bucket: string, key: string): Entry | undefined;
  listDurable(bucket: string, prefix?: string): Entry[];
  /** Rejects with StaleWriteError or StoreError. The check and the new entry's visibility to `get` are immediate. */
  write(write: Write): Promise<Change>;
  /** Undefined if all writes that are accepted by now are durable, else a promise of that, which does not wait for later ones. */
  settled(): Promise<void> | undefined;
  /** Changes come in batches, one for each commit. Returns how to stop. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
  /**
   * Calls back in the same turn in which `get` changes: with each write that is accepted, and with each that could
   * not be stored and is rolled back. The listener must not throw. Returns the unsubscribe function.
   */
  follow(listener: VisibleChange): () => void;
  close(): Promise<void>;
}
