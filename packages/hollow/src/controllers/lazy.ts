import { bucketOf } from '@fairway/apiserver/server/served-resource';
import type { Change, Store } from '@fairway/apiserver/store/store';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/**
 * A runnable that starts when the first object of one of its kinds is stored, then keeps running. For example, a
 * cluster without Deployments has no Deployment controller and no informers for it.
 */
export class LazyRunnable implements Runnable {
  readonly name: string;
  readonly #store: Store;
  readonly #buckets: ReadonlySet<string>;
  readonly #create: () => Runnable;
  readonly #isRelevant: (object: KubeObject) => boolean;
  #runnable: Runnable | undefined;
  #starting: Promise<void> = Promise.resolve();

  /** @param isRelevant narrows which objects start it; any object of the kinds by default. */
  constructor(
    name: string,
    store: Store,
    types: readonly ResourceType[],
    create: () => Runnable,
    isRelevant: (object: KubeObject) => boolean = () => true,
  ) {
    this.name = name;
    this.#store = store;
    this.#buckets = new Set(types.map(bucketOf));
    this.#create = create;
    this.#isRelevant = isRelevant;
  }

  get stopped(): Promise<void> {
    return this.#starting.then(() => this.#runnable?.stopped);
  }

  start(signal: AbortSignal): void {
    const isNeeded = [...this.#buckets].some((bucket) =>
      this.#store.list(bucket).some((entry) => this.#isRelevant(entry.object())),
    );
    if (isNeeded) {
      this.#begin(signal);
      return;
    }
    const unsubscribe = this.#store.subscribe((changes) => {
      if (signal.aborted || !changes.some((change) => this.#concerns(change))) return;
      unsubscribe();
      this.#begin(signal);
    });
    signal.addEventListener('abort', unsubscribe, { once: true });
  }

  #concerns({ bucket, entry }: Change): boolean {
    return this.#buckets.has(bucket) && this.#isRelevant(entry.object());
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
