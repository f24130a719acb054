import { MissingObjectError, type ObjectStore, ObjectStoreError, type StoredObject } from '../object-store.ts';

/** An in-memory store that fails on demand. */
export class MemoryStore implements ObjectStore {
  readonly description = 's3://bucket/ at https://store.example.org';
  readonly id = 'bucket/';
  readonly objects = new Map<string, Buffer>();
  /** Keys in upload order. */
  readonly puts: string[] = [];
  calls = 0;
  /** Number of objects that the store accepts before it fails. */
  freeBytes = Number.POSITIVE_INFINITY;
  isUnavailable = false;

  put(key: string, bytes: Buffer): Promise<void> {
    this.#count();
    if (this.freeBytes-- <= 0) throw new ObjectStoreError('there is no room');
    this.puts.push(key);
    this.objects.set(key, Buffer.from(bytes));
    return Promise.resolve();
  }

  async get(key: string): Promise<Buffer> {
    this.#count();
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new MissingObjectError(`there is no ${key}`);
    return bytes;
  }

  async list(prefix: string): Promise<readonly StoredObject[]> {
    this.#count();
    return [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, bytes]) => ({ key, sizeBytes: bytes.length }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async remove(key: string): Promise<void> {
    this.#count();
    this.objects.delete(key);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #count(): void {
    this.calls++;
    if (this.isUnavailable) throw new ObjectStoreError(`${this.description} does not answer: connect ECONNREFUSED`);
  }
}
