import type { Cluster } from '@fairway/api/kinds/cluster';
import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { clusters, nodePools, pathOf } from '../api/resources.ts';
import { create } from '../api/write.ts';
import { type ClusterDraft, clusterOf, poolsOf } from './draft.ts';

/** Which attempt made a Cluster: whoever hears no answer can tell his own from another of the name. */
const ATTEMPT_ANNOTATION = 'console.fairway.dev/attempt';
const KEY = 'fairway.creating';

type Pools = ReturnType<typeof poolsOf>;

/** What is still to be made of a cluster. This browser keeps it until it is done. */
interface Unfinished {
  readonly attempt: string;
  readonly pools: Pools;
}

/** Where it is kept; a browser's localStorage. */
export type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Makes the Cluster of a draft. Its pools are made by `finishCreation`, on the page of the cluster: also after a reload, or when the connection has been lost
 * in between. The same attempt makes one cluster, however often it is called.
 */
export async function beginCreation(
  draft: ClusterDraft,
  namespace: string,
  attempt: string,
  keeper: Keeper,
): Promise<void> {
  const bare = clusterOf(draft, namespace);
  const cluster = { ...bare, metadata: { ...bare.metadata, annotations: { [ATTEMPT_ANNOTATION]: attempt } } };
  const unfinished: Unfinished = { attempt, pools: poolsOf(draft, namespace) };
  keeper.setItem(keyOf(namespace, draft.name), JSON.stringify(unfinished));
  try {
    await create(clusters, cluster);
  } catch (error) {
    if (isThere(error) && (await isOwn(namespace, draft.name, attempt))) return;
    if (!(error instanceof Failure) || !error.isPassing) keeper.removeItem(keyOf(namespace, draft.name));
    throw error;
  }
}

/** The pools of a cluster that are still to be made in this browser; none if the cluster is not the one that they were written for. */
export function unfinishedOf({ metadata }: Cluster, keeper: Keeper): Pools {
  const { namespace = '', name = '', annotations } = metadata;
  const text = keeper.getItem(keyOf(namespace, name));
  if (text === null) return [];
  const { attempt, pools } = JSON.parse(text) as Unfinished;
  return annotations?.[ATTEMPT_ANNOTATION] === attempt ? pools : [];
}

/** Makes the pools that there are not yet. Rejects with the first Failure; what is left can be tried again. */
export async function finishCreation(cluster: Cluster, keeper: Keeper): Promise<void> {
  for (const pool of unfinishedOf(cluster, keeper)) {
    try {
      await create(nodePools, pool);
    } catch (error) {
      if (!isThere(error)) throw error;
    }
  }
  forgetCreation(cluster, keeper);
}

/** Makes no more of it. */
export function forgetCreation({ metadata: { namespace = '', name = '' } }: Cluster, keeper: Keeper): void {
  keeper.removeItem(keyOf(namespace, name));
}

async function isOwn(namespace: string, name: string, attempt: string): Promise<boolean> {
  const { metadata } = await request<Cluster>(pathOf(clusters, namespace, name));
  return metadata.annotations?.[ATTEMPT_ANNOTATION] === attempt;
}

function isThere(error: unknown): boolean {
  return error instanceof Failure && error.reason === 'AlreadyExists';
}

function keyOf(namespace: string, name: string): string {
  return `${KEY} ${namespace}/${name}`;
}
