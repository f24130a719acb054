import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import { isOwed } from './owed.ts';
import { clusterRecord, poolRecord } from './record.ts';

/** On a ConfigMap that says which NodePool a Cluster is to get. */
const OWED_LABEL = `${GROUP}/magnum-owed`;
const KEY = 'pool';

/** A request that makes a cluster takes seconds. */
const MIN_AGE_MS = 15_000;

export interface OwedPoolsOptions {
  /** Fairway's own. */
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/**
 * The NodePools that Clusters are owed: a ConfigMap is written before a Cluster and deleted after its pool, so that a process that is killed in between
 * leaves what is to be made. It is in Fairway's own namespace, since an operator may let tenants write ConfigMaps of theirs, and is written for who may make the
 * pool: so Fairway may make it in its own name.
 */
export class OwedPools {
  readonly #options: OwedPoolsOptions;

  constructor(options: OwedPoolsOptions) {
    this.#options = options;
  }

  /** Notes it, for the request that makes the cluster. Returns how to take the note back, once the pool is there or will never be. */
  async note(pool: NewNodePool, request: string): Promise<() => Promise<void>> {
    const notes = this.#options.client.resource(ConfigMaps);
    const { metadata } = await notes.create({
      metadata: { name: `magnum-${request}`, namespace: SYSTEM_NAMESPACE, labels: { [OWED_LABEL]: 'true' } },
      data: { [KEY]: JSON.stringify(pool) },
    });
    return () => this.#forget(metadata);
  }

  /** One pass over what was left; what fails is tried at the next. */
  async sweep(): Promise<void> {
    const { client, clock, log } = this.#options;
    const { items } = await client
      .resource(ConfigMaps)
      .list({ namespace: SYSTEM_NAMESPACE, labelSelector: OWED_LABEL });
    for (const note of items) {
      const { name, creationTimestamp = '' } = note.metadata;
      const ageMs = clock.now() - Date.parse(creationTimestamp);
      if (!(ageMs > MIN_AGE_MS)) continue;
      try {
        if (await this.#settle(note)) await this.#forget(note.metadata);
      } catch (error) {
        log.warn({ err: error, note: name }, 'the nodegroup of a cluster is not made yet');
      }
    }
  }

  /** Whether there is nothing left to do for it. */
  async #settle({ metadata, data }: ConfigMap): Promise<boolean> {
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
    // Its creation may be on its way still.
    if (cluster === undefined) return !isOwed(metadata, clock.now());
    const isOfRequest = clusterRecord(cluster).request === poolRecord(pool).request;
    if (!isOfRequest || cluster.metadata.deletionTimestamp !== undefined) return true;
    try {
      await makePool(client, pool);
      log.info({ cluster: `${namespace}/${clusterName}` }, 'made the nodegroup that a new cluster was left without');
    } catch (error) {
      if (!isRefusedForGood(error)) throw error;
      log.warn({ err: error, cluster: `${namespace}/${clusterName}` }, 'a new cluster does not get its nodegroup');
    }
    return true;
  }

  async #forget({ name = '' }: ConfigMap['metadata']): Promise<void> {
    await ignoreGone(this.#options.client.resource(ConfigMaps).delete(name, { namespace: SYSTEM_NAMESPACE }));
  }
}

/** Creates it, unless it is there already because another process has seen its note. */
export async function makePool(client: KubeClient, pool: NewNodePool): Promise<void> {
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

/** Whether the API has said no, and will again: who asks too much or has a token that has just ended may ask later. */
export function isRefusedForGood(error: unknown): boolean {
  return isRefusal(error) && !isApiError(error, 'TooManyRequests') && !isApiError(error, 'Unauthorized');
}

/** Whether the API has said no: everything else may have been done. */
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
