import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';

export interface WatchedPods {
  readonly namespace: string;
  readonly labelSelector: string;
}

/** Counts the pods that are ready and not terminating at each change in an API's history, and reports any gap. */
export class PodWatch {
  readonly #ready = new Map<string, boolean>();
  readonly #stop = new AbortController();
  #resourceVersion = '';
  #minimum = Number.POSITIVE_INFINITY;
  #done: Promise<void> = Promise.resolve();

  private constructor() {}

  /** Resolves once it has started watching. */
  static async begin(client: KubeClient, pods: WatchedPods): Promise<PodWatch> {
    const podWatch = new PodWatch();
    const { items, metadata } = await client.resource<Pod>(Pods).list(pods);
    for (const pod of items) podWatch.#record(pod);
    podWatch.#resourceVersion = metadata.resourceVersion ?? '';
    podWatch.#count();
    podWatch.#done = podWatch.#follow(client, pods);
    podWatch.#done.catch(() => undefined);
    return podWatch;
  }

  /** Stops watching and resolves with the minimum; rejects if the history could not be followed. */
  async end(): Promise<number> {
    this.#stop.abort();
    await this.#done;
    return this.#minimum;
  }

  async #follow(client: KubeClient, pods: WatchedPods): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        const resourceVersion = this.#resourceVersion;
        for await (const { type, object } of client.resource<Pod>(Pods).watch({ ...pods, resourceVersion, signal })) {
          this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
          if (type === 'DELETED') this.#ready.delete(object.metadata.uid ?? '');
          else if (type !== 'BOOKMARK') this.#record(object);
          this.#count();
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #record({ metadata, status }: Pod): void {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
    this.#ready.set(metadata.uid ?? '', isReady && metadata.deletionTimestamp === undefined);
  }

  #count(): void {
    const ready = [...this.#ready.values()].filter(Boolean).length;
    this.#minimum = Math.min(this.#minimum, ready);
  }
}
