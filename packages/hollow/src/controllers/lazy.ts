import type { Runnable } from '@fairway/kube/controller/manager';
import type { ResourceType } from '@fairway/kube/object/meta';
import { bucketOf } from '@fairway/kube/server/served-resource';
import type { Store } from '@fairway/kube/store/store';

/**
 * A runnable that comes to life when the first object of one of its kinds is stored, and stays: a cluster without Deployments has no
 * Deployment controller, no informers for it, no memory.
 */
export class LazyRunnable implements Runnable {
  readonly name: string;
  readonly #store: Store;
  readonly #buckets: ReadonlySet<string>;
  readonly #create: () => Runnable;
  #runnable: Runnable | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(name: string, store: Store, types: readonly ResourceType[], create: () => Runnable) {
    this.name = name;
    this.#store = store;
    this.#buckets = new Set(types.map(bucketOf));
    this.#create = create;
  }

  get stopped(): Promise<void> {
    return this.#starting.then(() => this.#runnable?.stopped);
  }

  start(signal: AbortSignal): void {
    if ([...this.#buckets].some((bucket) => this.#store.count(bucket) > 0)) {
      this.#begin(signal);
      return;
    }
    const unsubscribe = this.#store.subscribe((changes) => {
      if (signal.aborted || !changes.some(({ bucket }) => this.#buckets.has(bucket))) return;
      unsubscribe();
      this.#begin(signal);
    });
    signal.addEventListener('abort', unsubscribe, { once: true });
  }

  #begin(signal: AbortSignal): void {
    const runnable = this.#create();
    this.#starting = (runnable.whenSynced?.(signal) ?? Promise.resolve()).then(
      () => {
        if (signal.aborted) return;
        this.#runnable = runnable;
        runnable.start(signal);
      },
      () => undefined,
    );
  }
}
