import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import { mayBePending } from './pending.ts';
import { clusterRecord, poolRecord } from './record.ts';

/** Label of a ConfigMap that holds the pending NodePool of a Cluster. */
const PENDING_LABEL = `${GROUP}/magnum-owed`;
const KEY = 'pool';

/** A request that creates a cluster takes a few seconds. */
const MIN_AGE_MS = 15_000;

export interface PendingNodegroupsOptions {
  /** A client with Fairway's own identity. */
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/**
 * An outbox of NodePools. A ConfigMap is written before the Cluster and deleted after the pool exists, so if the
 * process is killed in between, the pool is still created. The ConfigMap is in Fairway's own namespace, because an
 * operator may let tenants write ConfigMaps in theirs. It is written only for users who may create the pool, so Fairway
 * may create the pool with its own identity.
 */
export class PendingNodegroups {
  readonly #options: PendingNodegroupsOptions;

  constructor(options: PendingNodegroupsOptions) {
    this.#options = options;
  }

  /**
   * Writes the ConfigMap for the request that creates the cluster. Returns a function that deletes the ConfigMap, to be
   * called when the pool exists or will never exist.
   */
  async enqueue(pool: NewNodePool, request: string): Promise<() => Promise<void>> {
    const configMaps = this.#options.client.resource(ConfigMaps);
    const { metadata } = await configMaps.create({
      metadata: { name: `magnum-${request}`, namespace: SYSTEM_NAMESPACE, labels: { [PENDING_LABEL]: 'true' } },
      data: { [KEY]: JSON.stringify(pool) },
    });
    return () => this.#deleteConfigMap(metadata);
  }

  /** One pass over pending pools; the next pass retries failures. */
  async sweep(): Promise<void> {
    const { client, clock, log } = this.#options;
    const { items } = await client
      .resource(ConfigMaps)
      .list({ namespace: SYSTEM_NAMESPACE, labelSelector: PENDING_LABEL });
    for (const enqueue of items) {
      const { name, creationTimestamp = '' } = enqueue.metadata;
      const ageMs = clock.now() - Date.parse(creationTimestamp);
      if (!(ageMs > MIN_AGE_MS)) continue;
      try {
        if (await this.#createPool(enqueue)) await this.#deleteConfigMap(enqueue.metadata);
      } catch (error) {
        log.warn({ err: error, note: name }, 'could not create the nodegroup of a cluster, will retry');
      }
    }
  }

  /** Creates the pool if necessary; returns whether the ConfigMap can be deleted. */
  async #createPool({ metadata, data }: ConfigMap): Promise<boolean> {
    const { client, clock, log } = this.#options;
    const pool = parsed(data?.[KEY]);
    if (pool === undefined) return true;
    const { namespace = '' } = pool.metadata;
    const { clusterName } = pool.spec;
    const cluster = await client
      .resource(clusters)
      .get(clusterName, { namespace })
      .catch((error: unknown) => {
        if (isApiError(error, 'NotFound')) return undefined;
        throw error;
      });
    // The cluster's creation may still be in progress.
    if (cluster === undefined) return !mayBePending(metadata, clock.now());
    const isOfRequest = clusterRecord(cluster).request === poolRecord(pool).request;
    if (!isOfRequest || cluster.metadata.deletionTimestamp !== undefined) return true;
    try {
      await createPool(client, pool);
      log.info({ cluster: `${namespace}/${clusterName}` }, 'created the missing nodegroup of a new cluster');
    } catch (error) {
      if (!isPermanentRefusal(error)) throw error;
      log.warn({ err: error, cluster: `${namespace}/${clusterName}` }, 'the nodegroup of a new cluster was rejected');
    }
    return true;
  }

  async #deleteConfigMap({ name = '' }: ConfigMap['metadata']): Promise<void> {
    await ignoreDeleted(this.#options.client.resource(ConfigMaps).delete(name, { namespace: SYSTEM_NAMESPACE }));
  }
}

/** Creates the pool, unless another process has already created it. */
export async function createPool(client: KubeClient, pool: NewNodePool): Promise<void> {
  const resource = client.resource(nodePools);
  try {
    await resource.create(pool as never, { fieldManager: 'fairway-magnum' });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const { name = '', namespace = '' } = pool.metadata;
    const existing = await resource.get(name, { namespace });
    if (poolRecord(existing).request !== poolRecord(pool).request) throw error;
  }
}

/** Whether the API rejected the request permanently; rate limits and expired tokens are temporary. */
export function isPermanentRefusal(error: unknown): boolean {
  return isRefusal(error) && !isApiError(error, 'TooManyRequests') && !isApiError(error, 'Unauthorized');
}

/** Whether the API definitely rejected the request; after any other error it may have been processed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code >= 400 && error.code < 500 && error.code !== 408;
}

function parsed(text: string | undefined): NewNodePool | undefined {
  try {
    return JSON.parse(text ?? '') as NewNodePool;
  } catch {
    return undefined;
  }
}
