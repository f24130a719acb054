import { type Clock, systemClock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { setCondition } from '@fairway/kube/controller/conditions';
import { Controller } from '@fairway/kube/controller/controller';
import type { ControllerMetrics } from '@fairway/kube/controller/metrics';
import type { Result } from '@fairway/kube/controller/result';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Condition } from '@fairway/kube/object/meta';
import { namespaceConditions } from './namespace-conditions.ts';
import { deleteContent, type RemainingContent } from './namespace-content.ts';

export interface NamespaceControllerOptions {
  readonly client: KubeClient;
  readonly informers: InformerSet;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly metrics?: ControllerMetrics | undefined;
}

const FINALIZER = 'kubernetes';
const MIN_RETRY_MS = 500;
const CONCURRENCY = 5;

/**
 * Empties and finalizes terminating namespaces, as kube-controller-manager's namespace controller does. The
 * namespace's conditions report what blocks it.
 */
export function namespaceController(options: NamespaceControllerOptions): Controller {
  const { client, informers, clock = systemClock, random = Math.random, log, metrics } = options;
  const deletion = new NamespaceDeletion(client, clock);
  return new Controller({
    name: 'namespace',
    clock,
    random,
    metrics,
    ...(log && { log }),
    concurrency: CONCURRENCY,
    reconcile: (name, { signal }) => deletion.reconcile(name, signal),
  }).watch(informers.informer(Namespaces), ({ metadata }) => {
    return metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? ''];
  });
}

class NamespaceDeletion {
  readonly #client: KubeClient;
  readonly #clock: Clock;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const namespace = await this.#get(name, signal);
    const { deletionTimestamp } = namespace?.metadata ?? {};
    if (!namespace || deletionTimestamp === undefined || !namespace.spec?.finalizers?.includes(FINALIZER)) return {};
    const discovery = await this.#client.resources(signal);
    const remaining = await deleteContent(this.#client, name, discovery, signal);
    const isEmpty =
      remaining.objects.size === 0 && remaining.failures.length === 0 && discovery.unavailable.length === 0;
    if (isEmpty) {
      await this.#finalize(namespace, signal);
      return {};
    }
    await this.#patchStatus(namespace, discovery.unavailable, remaining, signal);
    if (remaining.failures.length > 0) throw new Error(`namespace ${name}: ${remaining.failures.join('; ')}`);
    return { requeueAfterMs: this.#retryMs(deletionTimestamp, remaining.estimateSeconds) };
  }

  #get(name: string, signal: AbortSignal): Promise<Namespace | undefined> {
    return undefinedIfNotFound(this.#client.resource(Namespaces).get(name, { signal }));
  }

  async #patchStatus(
    namespace: Namespace,
    unavailable: readonly string[],
    remaining: RemainingContent,
    signal: AbortSignal,
  ): Promise<void> {
    const previous = (namespace.status?.conditions ?? []) as Condition[];
    let conditions: readonly Condition[] = previous;
    for (const condition of namespaceConditions(unavailable, remaining)) {
      conditions = setCondition(conditions, condition, this.#clock.now());
    }
    if (conditions === previous) return;
    const status = { ...namespace.status, phase: 'Terminating', conditions: [...conditions] };
    await this.#client.resource(Namespaces).updateStatus({ ...namespace, status }, { signal });
  }

  /** Removes our finalizer from `spec.finalizers`. When none are left, the server deletes the namespace. */
  async #finalize(namespace: Namespace, signal: AbortSignal): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
    const namespaces = this.#client.resource(Namespaces);
    try {
      await namespaces.updateSubresource(namespace.metadata.name ?? '', 'finalize', body, { signal });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  /** The retry delay: short at first, growing up to upstream's delay, which is half of the estimate plus one second. */
  #retryMs(deletionTimestamp: string, estimateSeconds: number): number {
    const ageMs = this.#clock.now() - Date.parse(deletionTimestamp);
    return Math.max(MIN_RETRY_MS, Math.min(ageMs / 2, (estimateSeconds / 2 + 1) * 1000));
  }
}
