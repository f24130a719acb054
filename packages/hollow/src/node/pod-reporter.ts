import { CallSlots } from '@fairway/base/call-slots';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod, PodStatus } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { RESIZE_PENDING } from './pod-resize.ts';

export interface PodReporterOptions {
  readonly client: KubeClient;
  /** Whether its kubelet reports a pod's observed generation (since 1.34). */
  readonly reportsGeneration: boolean;
}

/** Limits concurrent writes: a hundred new pods must not open a hundred connections. */
const MAX_PARALLEL_WRITES = 4;
/** Directive of a strategic merge patch: without it the condition would stay. */
const NO_RESIZE_PENDING = { $patch: 'delete', type: RESIZE_PENDING, status: 'False' };

/** Reports the status of a node's pods to the API server. */
export class PodReporter {
  readonly #options: PodReporterOptions;
  readonly #writes = new CallSlots(MAX_PARALLEL_WRITES);

  constructor(options: PodReporterOptions) {
    this.#options = options;
  }

  /** Writes a status unless the pod already has it. Resolves with the pod's new status; undefined if nothing was written. */
  async report(pod: Pod, found: PodStatus, signal: AbortSignal | undefined): Promise<PodStatus | undefined> {
    const status = this.#options.reportsGeneration ? withGeneration(found, pod.metadata.generation) : found;
    if (isReported(pod.status ?? {}, status) && isResizePending(pod.status) === isResizePending(status)) {
      return undefined;
    }
    const { name = '', namespace = '', uid } = pod.metadata;
    const isOutdated = status.conditions !== undefined && isResizePending(pod.status) && !isResizePending(status);
    const reported = isOutdated ? { ...status, conditions: [...(status.conditions ?? []), NO_RESIZE_PENDING] } : status;
    const patch = { type: 'strategic', value: { metadata: { uid }, status: reported } } as const;
    const updated = await this.#write(signal, () =>
      this.#options.client
        .resource(Pods)
        .patch(name, patch, { namespace, subresource: 'status', ...(signal && { signal }) }),
    );
    return updated?.metadata.uid === uid ? (updated?.status ?? {}) : undefined;
  }

  /** Deletes a pod whose containers have stopped. */
  async remove({ metadata }: Pod, signal: AbortSignal | undefined): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata;
    const options = { namespace, uid, gracePeriodSeconds: 0, ...(signal && { signal }) };
    await this.#write(signal, () => this.#options.client.resource(Pods).delete(name, options));
  }

  /** Resolves with undefined if the pod no longer exists or has been replaced. */
  async #write<T>(signal: AbortSignal | undefined, write: () => Promise<T>): Promise<T | undefined> {
    const leave = await this.#writes.enter(signal);
    try {
      return await write();
    } catch (error) {
      if (isApiError(error, 'NotFound', 'Conflict')) return undefined;
      throw error;
    } finally {
      leave();
    }
  }
}

function isResizePending(status: PodStatus | undefined): boolean {
  return status?.conditions?.some(({ type }) => type === RESIZE_PENDING) ?? false;
}

/** Whether the pod already has the status to report; ignores fields owned by other writers. */
function isReported(current: PodStatus, desired: PodStatus): boolean {
  return Object.entries(desired).every(([field, value]) => {
    if (field !== 'conditions') return jsonEqual(current[field as keyof PodStatus], value);
    const conditions = desired.conditions ?? [];
    return conditions.every((condition) => current.conditions?.some((other) => jsonEqual(other, condition)));
  });
}

function withGeneration(status: PodStatus, observedGeneration: number | undefined): PodStatus {
  if (observedGeneration === undefined) return status;
  const conditions = status.conditions?.map((condition) => ({ ...condition, observedGeneration }));
  return { ...status, observedGeneration, ...(conditions && { conditions }) };
}
