import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import type { Expectations } from '@fairway/kube/controller/expectations';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Creates and deletes pods on behalf of an owner, records its events, and tracks expectations for what the cache does not show yet. */
export class PodControl {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #expectations: Expectations;

  constructor(client: KubeClient, events: EventRecorder, expectations: Expectations) {
    this.#client = client;
    this.#events = events;
    this.#expectations = expectations;
  }

  /** Lowers expectations as the cache observes pods; `ownersOf` returns the keys of a pod's owners. */
  observe(pods: Informer<Pod>, ownersOf: (pod: Pod) => readonly string[]): void {
    const deleted = (pod: Pod) => {
      for (const key of ownersOf(pod)) this.#expectations.deletionObserved(key, keyOf(pod));
    };
    pods.addHandler({
      onAdd: (pod) => {
        for (const key of ownersOf(pod)) this.#expectations.creationObserved(key);
      },
      onUpdate: (_, pod) => {
        if (pod.metadata.deletionTimestamp) deleted(pod);
      },
      onDelete: deleted,
    });
  }

  /**
   * Creates pods in batches that double on success (upstream's slow start), so an exhausted quota does not cause a
   * thousand failing requests. Rejects with the first failure.
   */
  async createAll(owner: KubeObject, pods: readonly Pod[]): Promise<void> {
    const key = keyOf(owner);
    this.#expectations.expectCreations(key, pods.length);
    let next = 0;
    for (let size = 1; next < pods.length; size *= 2) {
      const batch = pods.slice(next, next + size);
      const results = await Promise.allSettled(batch.map((pod) => this.#create(owner, key, pod)));
      next += batch.length;
      const failed = results.find((result) => result.status === 'rejected');
      if (failed === undefined) continue;
      for (let skipped = next; skipped < pods.length; skipped++) this.#expectations.creationObserved(key);
      throw failed.reason;
    }
  }

  async deleteAll(owner: KubeObject, pods: readonly Pod[]): Promise<void> {
    const key = keyOf(owner);
    this.#expectations.expectDeletions(key, pods.map(keyOf));
    const results = await Promise.allSettled(pods.map((pod) => this.#delete(owner, key, pod)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #create(owner: KubeObject, key: string, pod: Pod): Promise<void> {
    try {
      const created = await this.#client.resource(Pods).create(pod);
      this.#events.normal(owner, 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    } catch (error) {
      this.#expectations.creationObserved(key);
      // Nothing can be created in a terminating namespace; that does not need an event.
      const isTerminating =
        isApiError(error, 'Forbidden') && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
      if (isTerminating) return;
      this.#events.warning(owner, 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  async #delete(owner: KubeObject, key: string, pod: Pod): Promise<void> {
    const { name = '', namespace = '', uid } = pod.metadata;
    try {
      await this.#client.resource(Pods).delete(name, { namespace, ...(uid !== undefined && { uid }) });
      this.#events.normal(owner, 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      this.#expectations.deletionObserved(key, keyOf(pod));
      if (isApiError(error, 'NotFound', 'Conflict')) return;
      this.#events.warning(owner, 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
