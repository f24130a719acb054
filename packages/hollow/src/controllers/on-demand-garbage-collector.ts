import { GarbageCollector } from '@fairway/apiserver/lifecycle/garbage-collector';
import type { Change, Store } from '@fairway/apiserver/store/store';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ServedResource } from '@fairway/kube/client/discovery';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Runnable } from '@fairway/kube/controller/manager';
import { jsonEqual } from '@fairway/kube/object/json';

export interface OnDemandGarbageCollectorOptions {
  readonly client: KubeClient;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly isAggregated: (type: ServedResource) => boolean;
}

/** How long the collector runs after the last change that may have left garbage. */
const IDLE_TIMEOUT_MS = 60_000;
/** Resources that are written frequently and never own objects. */
const IGNORED_RESOURCES = new Set(['events', 'leases.coordination.k8s.io']);

/**
 * The garbage collector of a mostly idle cluster. It starts when a potential owner is deleted or an object is created
 * under an owner, scans everything once like a fresh collector, and stops after a minute without changes. An idle
 * cluster keeps no graph.
 */
export class OnDemandGarbageCollector implements Runnable {
  readonly name = 'garbage-collector';
  readonly #options: OnDemandGarbageCollectorOptions;
  #signal: AbortSignal | undefined;
  #current: AbortController | undefined;
  #timer: Timer | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: OnDemandGarbageCollectorOptions) {
    this.#options = options;
  }

  get stopped(): Promise<void> {
    return this.#stopped;
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
    const unsubscribe = this.#options.store.subscribe((changes) => {
      if (changes.some(mayLeaveGarbage)) this.#wake();
    });
    signal.addEventListener(
      'abort',
      () => {
        unsubscribe();
        this.#timer?.cancel();
        this.#current?.abort();
      },
      { once: true },
    );
    // Finishes what a previous process left incomplete.
    this.#wake();
  }

  #wake(): void {
    if (this.#signal?.aborted) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(IDLE_TIMEOUT_MS, () => this.#stop());
    if (this.#current) return;
    const stop = new AbortController();
    this.#current = stop;
    const stopping = this.#stopped;
    this.#stopped = stopping.then(async () => {
      if (stop.signal.aborted) return;
      const collector = new GarbageCollector(this.#options);
      collector.start(stop.signal);
      await collector.stopped;
    });
  }

  #stop(): void {
    this.#current?.abort();
    this.#current = undefined;
  }
}

function mayLeaveGarbage({ bucket, removed, entry, previous }: Change): boolean {
  if (IGNORED_RESOURCES.has(bucket)) return false;
  if (removed) return true;
  const isMarked = entry.text.includes('"foregroundDeletion"') || entry.text.includes('"orphan"');
  if (isMarked) return true;
  if (!entry.text.includes('"ownerReferences"')) return false;
  return !jsonEqual(entry.object().metadata.ownerReferences, previous?.object().metadata.ownerReferences);
}
