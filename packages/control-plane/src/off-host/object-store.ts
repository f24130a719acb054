/**
 * Storage outside this machine: a bucket with a prefix. Keys are relative to the prefix. Objects appear completely
 * or not at all.
 */
export interface ObjectStore {
  /** For messages, such as `s3://bucket/prefix at https://s3.example.org`. */
  readonly description: string;
  /** Identifies the bucket and prefix. */
  readonly id: string;
  /** Replaces an object. Resolves once the store has confirmed that it contains exactly these bytes. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** Rejects with a MissingObjectError. */
  get(key: string): Promise<Buffer>;
  /** All objects whose keys have this prefix, sorted by key. */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** Has no effect if the object does not exist. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';
}

/**
 * Thrown if the store did not perform the operation. It contains the store's response, or why there was no response.
 */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
}
