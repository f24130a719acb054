import { IN_CLUSTER_FINALIZER, SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import {
  type InClusterNodePool,
  type InClusterNodePoolStatus,
  inClusterNodePools,
} from '@fairway/api/kinds/in-cluster-node-pool';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { causeOf } from '../addons/apply-object.ts';
import { writeStatus } from '../status-writer.ts';
import { FIELD_MANAGER } from './definition-reconciler.ts';
import { type MergeBase, mergeBaseText, type stateOf } from './merge-base.ts';

/**
 * Writes the NodePools of a tenant's cluster. Each method resolves with the updated object. It resolves with undefined
 * if the object was replaced or changed since it was observed; then the watch will report it. Rejects with a
 * TenantApiError.
 */
export class InnerWriter {
  readonly #pools: ResourceClient<InClusterNodePool>;
  readonly #signal: AbortSignal;

  constructor({ client }: Pick<TenantCluster, 'client'>, signal: AbortSignal) {
    this.#pools = client.resource(inClusterNodePools);
    this.#signal = signal;
  }

  /** The current object, if it has not been changed since it was observed. */
  async current(seen: InClusterNodePool): Promise<InClusterNodePool | undefined> {
    const live = await wrapTenantError(undefinedIfNotFound(this.#pools.get(nameOf(seen), { signal: this.#signal })));
    return live && isSame(live, seen) ? live : undefined;
  }

  /** Applies the object even if none was observed: an object beyond the read limit may exist. */
  get(name: string): Promise<InClusterNodePool | undefined> {
    return wrapTenantError(undefinedIfNotFound(this.#pools.get(name, { signal: this.#signal })));
  }

  create(name: string, state: ReturnType<typeof stateOf>): Promise<InClusterNodePool | undefined> {
    const metadata = {
      name,
      finalizers: [IN_CLUSTER_FINALIZER],
      annotations: { [SYNCED_STATE_ANNOTATION]: mergeBaseText(state) },
    };
    const object = { apiVersion: apiVersionOf(inClusterNodePools), kind: inClusterNodePools.kind, metadata };
    return ignoreStale(this.#pools.create({ ...object, spec: state.spec }, this.#options));
  }

  /** Spec and mark change in one write, so that the mark always matches what the spec was derived from. */
  async show(seen: InClusterNodePool, state: ReturnType<typeof stateOf>): Promise<InClusterNodePool | undefined> {
    const live = await this.current(seen);
    if (live === undefined) return undefined;
    const { uid, annotations, finalizers = [] } = live.metadata;
    const metadata = {
      ...live.metadata,
      annotations: { ...annotations, [SYNCED_STATE_ANNOTATION]: mergeBaseText(state, uid) },
      finalizers: [...new Set([...finalizers, IN_CLUSTER_FINALIZER])],
    };
    return ignoreStale(this.#pools.update({ ...live, metadata, spec: state.spec }, this.#options));
  }

  /** Changes only mark and finalizer, not the spec. Without a state, the mark is unchanged. */
  mark(seen: InClusterNodePool, state: MergeBase | undefined): Promise<InClusterNodePool | undefined> {
    const { uid, resourceVersion, finalizers = [] } = seen.metadata;
    const metadata = {
      uid,
      resourceVersion,
      finalizers: [...new Set([...finalizers, IN_CLUSTER_FINALIZER])],
      ...(state && { annotations: { [SYNCED_STATE_ANNOTATION]: mergeBaseText(state, uid) } }),
    };
    return ignoreStale(this.#pools.patch(nameOf(seen), { type: 'merge', value: { metadata } }, this.#options));
  }

  async writeStatus(seen: InClusterNodePool, status: InClusterNodePoolStatus): Promise<void> {
    await ignoreStale(writeStatus(this.#pools, seen, status));
  }

  /** Removes the finalizer of an object that is being deleted. */
  async release(seen: InClusterNodePool): Promise<void> {
    if (!seen.metadata.finalizers?.includes(IN_CLUSTER_FINALIZER)) return;
    const live = await this.get(nameOf(seen));
    if (live === undefined || live.metadata.uid !== seen.metadata.uid) return;
    const { uid, resourceVersion, finalizers = [] } = live.metadata;
    const left = finalizers.filter((each) => each !== IN_CLUSTER_FINALIZER);
    const value = { metadata: { uid, resourceVersion, finalizers: left } };
    await ignoreStale(this.#pools.patch(nameOf(seen), { type: 'merge', value }, this.#options));
  }

  async delete(seen: InClusterNodePool): Promise<void> {
    const { uid = '' } = seen.metadata;
    await ignoreStale(this.#pools.delete(nameOf(seen), { uid, signal: this.#signal }));
  }

  get #options() {
    return { fieldManager: FIELD_MANAGER, signal: this.#signal };
  }
}

export function nameOf({ metadata }: InClusterNodePool): string {
  return metadata.name ?? '';
}

function isSame({ metadata: live }: InClusterNodePool, { metadata: seen }: InClusterNodePool): boolean {
  const isDeleting = (metadata: typeof live) => metadata.deletionTimestamp !== undefined;
  return live.uid === seen.uid && live.generation === seen.generation && isDeleting(live) === isDeleting(seen);
}

/** Resolves with undefined if someone else has changed, created or deleted the object. */
async function ignoreStale<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await wrapTenantError(write);
  } catch (error) {
    if (isApiError(causeOf(error), 'Conflict', 'NotFound', 'AlreadyExists')) return undefined;
    throw error;
  }
}
