import { bucketOf } from '@fairway/apiserver/server/served-resource';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';

/** An admitted request that is never stored (rejected later, or its client disconnected) expires after this time. */
const EXPIRY_MS = 60_000;

interface PendingWrite<T> {
  readonly value: T;
  readonly atMs: number;
}

/** What admission has granted to objects that are not stored yet; an entry is dropped once the object is stored. */
export class PendingWrites<T> {
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingWrite<T>>();
  readonly #unsubscribe: () => void;

  constructor(store: Pick<Store, 'subscribe'>, clock: Clock) {
    this.#clock = clock;
    this.#unsubscribe = store.subscribe((changes) => {
      if (this.#pending.size === 0) return;
      for (const { bucket, entry } of changes) this.#pending.delete(`${bucket}/${entry.key}`);
    });
  }

  /** `key` is `namespace/name`. */
  set(type: { readonly group: string; readonly plural: string }, key: string, value: T): void {
    this.#pending.set(`${bucketOf(type)}/${key}`, { value, atMs: this.#clock.now() });
  }

  /** Entries for one kind, and for one namespace if given. */
  *of(type: { readonly group: string; readonly plural: string }, namespace?: string): Generator<T> {
    const prefix = namespace === undefined ? `${bucketOf(type)}/` : `${bucketOf(type)}/${namespace}/`;
    for (const [id, { value, atMs }] of this.#pending) {
      if (this.#clock.now() - atMs >= EXPIRY_MS) this.#pending.delete(id);
      else if (id.startsWith(prefix)) yield value;
    }
  }

  stop(): void {
    this.#unsubscribe();
    this.#pending.clear();
  }
}
