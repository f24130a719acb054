import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';

export interface WitnessedPods {
  readonly namespace: string;
  readonly labelSelector: string;
}

/** The number of ready and not terminating pods at each change in an API's history; reports any gap. */
export class PodWitness {
  readonly #ready = new Map<string, boolean>();
  readonly #stop = new AbortController();
  #resourceVersion = '';
  #fewest = Number.POSITIVE_INFINITY;
  #done: Promise<void> = Promise.resolve();

  private constructor() {}

  /** Resolves when it has started observing. */
  static async begin(client: KubeClient, pods: WitnessedPods): Promise<PodWitness> {
    const witness = new PodWitness();
    const { items, metadata } = await client.resource<Pod>(Pods).list(pods);
    for (const pod of items) witness.#note(pod);
    witness.#resourceVersion = metadata.resourceVersion ?? '';
    witness.#count();
    witness.#done = witness.#follow(client, pods);
    witness.#done.catch(() => undefined);
    return witness;
  }

  /** The minimum; rejects if the history could not be followed. */
  async end(): Promise<number> {
    this.#stop.abort();
    await this.#done;
    return this.#fewest;
  }

  async #follow(client: KubeClient, pods: WitnessedPods): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        const resourceVersion = this.#resourceVersion;
        for await (const { type, object } of client.resource<Pod>(Pods).watch({ ...pods, resourceVersion, signal })) {
          this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
          if (type === 'DELETED') this.#ready.delete(object.metadata.uid ?? '');
          else if (type !== 'BOOKMARK') this.#note(object);
          this.#count();
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #note({ metadata, status }: Pod): void {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
    this.#ready.set(metadata.uid ?? '', isReady && metadata.deletionTimestamp === undefined);
  }

  #count(): void {
    const ready = [...this.#ready.values()].filter(Boolean).length;
    this.#fewest = Math.min(this.#fewest, ready);
  }
}
