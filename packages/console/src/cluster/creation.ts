import type { Cluster } from '@fairway/api/kinds/cluster';
import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { clusters, nodePools, pathOf } from '../api/resources.ts';
import { create } from '../api/write.ts';
import { type ClusterDraft, clusterOf, poolsOf } from './draft.ts';

/**
 * The attempt that created a Cluster. If a response is lost, it distinguishes the user's own Cluster from others with
 * the same name.
 */
const ATTEMPT_ANNOTATION = 'console.fairway.dev/attempt';
const KEY = 'fairway.creating';

type Pools = ReturnType<typeof poolsOf>;

/** The objects of a cluster that have yet to be created. This browser stores them until they exist. */
interface UnfinishedCreation {
  readonly attempt: string;
  readonly pools: Pools;
}

/** The storage; a browser's localStorage. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Creates the Cluster of a draft. `finishCreation` creates its pools on the cluster's page, even after a reload or a
 * lost connection. Repeated calls for the same attempt create only one cluster.
 */
export async function beginCreation(
  draft: ClusterDraft,
  namespace: string,
  attempt: string,
  storage: BrowserStorage,
): Promise<void> {
  const draftCluster = clusterOf(draft, namespace);
  const cluster = {
    ...draftCluster,
    metadata: { ...draftCluster.metadata, annotations: { [ATTEMPT_ANNOTATION]: attempt } },
  };
  const unfinished: UnfinishedCreation = { attempt, pools: poolsOf(draft, namespace) };
  storage.setItem(keyOf(namespace, draft.name), JSON.stringify(unfinished));
  try {
    await create(clusters, cluster);
  } catch (error) {
    if (alreadyExists(error) && (await isOwnCluster(namespace, draft.name, attempt))) return;
    if (!(error instanceof Failure) || !error.isTransient) storage.removeItem(keyOf(namespace, draft.name));
    throw error;
  }
}

/**
 * The pools of a cluster that this browser has yet to create; empty if the cluster is a different one with the same
 * name.
 */
export function unfinishedPools({ metadata }: Cluster, storage: BrowserStorage): Pools {
  const { namespace = '', name = '', annotations } = metadata;
  const text = storage.getItem(keyOf(namespace, name));
  if (text === null) return [];
  const { attempt, pools } = JSON.parse(text) as UnfinishedCreation;
  return annotations?.[ATTEMPT_ANNOTATION] === attempt ? pools : [];
}

/** Creates the missing pools. Rejects with the first Failure; the rest can be retried. */
export async function finishCreation(cluster: Cluster, storage: BrowserStorage): Promise<void> {
  for (const pool of unfinishedPools(cluster, storage)) {
    try {
      await create(nodePools, pool);
    } catch (error) {
      if (!alreadyExists(error)) throw error;
    }
  }
  abandonCreation(cluster, storage);
}

/** Abandons the creation of the remaining objects. */
export function abandonCreation({ metadata: { namespace = '', name = '' } }: Cluster, storage: BrowserStorage): void {
  storage.removeItem(keyOf(namespace, name));
}

async function isOwnCluster(namespace: string, name: string, attempt: string): Promise<boolean> {
  const { metadata } = await request<Cluster>(pathOf(clusters, namespace, name));
  return metadata.annotations?.[ATTEMPT_ANNOTATION] === attempt;
}

function alreadyExists(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'AlreadyExists';
}

function keyOf(namespace: string, name: string): string {
  return `${KEY} ${namespace}/${name}`;
}
