import { IN_CLUSTER_USER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { InClusterNodePoolSpec } from '@fairway/api/kinds/in-cluster-node-pool';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { splitKey } from '@fairway/kube/client/object-key';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Transport } from '@fairway/kube/client/transport';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { isApiError } from '@fairway/kube/object/api-error';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { isRefusal } from '../addons/apply-object.ts';
import { mergeDifference } from '../status-writer.ts';
import { type MergeBase, stateOf } from './merge-base.ts';

/** The response from Fairway's API. */
export type WriteResult =
  | { readonly kind: 'done'; readonly pool: NodePool | undefined; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** The pool is not in the expected state and must be read again. */
  | { readonly kind: 'stale' };

/** How often a pool may change between its read and its write: its status changes while nodes are created. */
const MAX_ATTEMPTS = 4;

interface WriterOptions {
  /** Fairway's own API. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly clusterKey: string;
  readonly signal: AbortSignal;
}

/**
 * Changes the pools of one cluster at Fairway's API, on behalf of users in the cluster, so that admission, limits and
 * audit apply as for other users.
 */
export class OuterWriter {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  create(name: string, spec: InClusterNodePoolSpec): Promise<WriteResult> {
    const { clusterKey, signal } = this.#options;
    const { namespace, name: clusterName } = splitKey(clusterKey);
    return this.#request(async (pools) => {
      const object = {
        apiVersion: apiVersionOf(nodePools),
        kind: nodePools.kind,
        metadata: { name, namespace },
        spec: { ...spec, clusterName },
      };
      try {
        return await pools.create(object, { fieldManager: FIELD_MANAGER, signal });
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists')) throw error;
        const other = await undefinedIfNotFound(pools.get(name, { namespace, signal }));
        // Created by a process that has exited since, or by someone else: the cache will contain it soon.
        if (other === undefined || other.spec.clusterName === clusterName) return 'stale';
        return { reason: 'NameTaken', message: nameTakenMessage(name, clusterName) };
      }
    });
  }

  /** Whether the pool is in the cached state, or deleted if none is cached. */
  async isCurrent(name: string, cached: NodePool | undefined): Promise<boolean> {
    const { clusterKey, client, signal } = this.#options;
    const { namespace, name: clusterName } = splitKey(clusterKey);
    const found = await undefinedIfNotFound(client.resource(nodePools).get(name, { namespace, signal }));
    const pool = found?.spec.clusterName === clusterName ? found : undefined;
    return pool?.metadata.uid === cached?.metadata.uid && pool?.metadata.generation === cached?.metadata.generation;
  }

  /** Changes the pool, only if it matches what was reflected. */
  change(name: string, spec: InClusterNodePoolSpec, shown: MergeBase): Promise<WriteResult> {
    const { signal } = this.#options;
    return this.#requestForPool(name, shown, async (pools, pool, { namespace, clusterName }) => {
      const changes = mergeDifference(pool.spec, { ...spec, clusterName });
      if (changes === undefined) return pool;
      const { uid, resourceVersion } = pool.metadata;
      const value = { metadata: { uid, resourceVersion }, spec: changes };
      return pools.patch(name, { type: 'merge', value }, { namespace, fieldManager: FIELD_MANAGER, signal });
    });
  }

  /** Deletes the pool, only if it matches what was reflected. */
  delete(name: string, shown: MergeBase): Promise<WriteResult> {
    const { signal } = this.#options;
    return this.#requestForPool(name, shown, async (pools, { metadata }, { namespace }) => {
      const { uid = '', resourceVersion = '' } = metadata;
      await pools.delete(name, { namespace, uid, resourceVersion, signal });
      return undefined;
    });
  }

  #requestForPool(
    name: string,
    shown: MergeBase,
    write: (
      pools: ResourceClient<NodePool>,
      pool: NodePool,
      of: { readonly namespace: string; readonly clusterName: string },
    ) => Promise<NodePool | undefined>,
  ): Promise<WriteResult> {
    const { clusterKey, signal } = this.#options;
    const { namespace, name: clusterName } = splitKey(clusterKey);
    return this.#request(async (pools) => {
      for (let tries = 1; ; tries++) {
        const pool = await undefinedIfNotFound(pools.get(name, { namespace, signal }));
        if (pool === undefined || !matchesMergeBase(pool, shown, clusterName)) return 'stale';
        try {
          return await write(pools, pool, { namespace, clusterName });
        } catch (error) {
          if (isApiError(error, 'NotFound')) return 'stale';
          if (!isApiError(error, 'Conflict')) throw error;
          if (tries === MAX_ATTEMPTS) return 'stale';
        }
      }
    });
  }

  async #request(
    write: (
      pools: ResourceClient<NodePool>,
    ) => Promise<NodePool | undefined | 'stale' | { readonly reason: string; readonly message: string }>,
  ): Promise<WriteResult> {
    const warnings: string[] = [];
    try {
      const outcome = await write(this.#pools((text) => warnings.push(text)));
      if (outcome === 'stale') return { kind: 'stale' };
      if (outcome !== undefined && 'reason' in outcome) return { kind: 'refused', ...outcome };
      return { kind: 'done', pool: outcome, warnings: [...new Set(warnings)] };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { kind: 'refused', reason: error.reason, message: error.message };
    }
  }

  #pools(onWarning: (text: string) => void): ResourceClient<NodePool> {
    const { client, clock, clusterKey } = this.#options;
    const headers = { 'impersonate-user': IN_CLUSTER_USER, 'user-agent': `fairway-in-cluster (${clusterKey})` };
    const impersonating: Transport = {
      request: (request) => client.raw({ ...request, headers: { ...request.headers, ...headers } }),
      close: () => {},
    };
    return new KubeClient(impersonating, { clock, onWarning }).resource(nodePools);
  }
}

const FIELD_MANAGER = 'fairway-in-cluster';

function matchesMergeBase(pool: NodePool, shown: MergeBase, clusterName: string): boolean {
  if (pool.spec.clusterName !== clusterName || pool.metadata.deletionTimestamp !== undefined) return false;
  if (identityOf(pool) !== shown.identity) return false;
  return pool.metadata.generation === shown.generation || stateOf(pool).hash === shown.hash;
}

function nameTakenMessage(name: string, clusterName: string): string {
  return `another cluster in the project already has a pool "${name}", and pool names are unique within a project: use another name, such as "${clusterName}-${name}"`;
}
