import { clusters, nodePools } from '../../api/resources.ts';
import { type ClusterDraft, clusterOf, poolsOf } from '../../cluster/draft.ts';
import { type DryRunResult, tryCreate, withSiblings } from '../../cluster/dry-run.ts';

export interface DraftResult {
  readonly cluster: DryRunResult;
  /** Of each pool, in their order. */
  readonly pools: readonly DryRunResult[];
}

/** What the API says of a cluster and its pools, each together with those before it. */
export async function tryDraft(draft: ClusterDraft, namespace: string, signal: AbortSignal): Promise<DraftResult> {
  const cluster = clusterOf(draft, namespace);
  const pools = poolsOf(draft, namespace);
  const [ofCluster, ...ofPools] = await Promise.all([
    tryCreate(clusters, cluster, signal),
    ...pools.map((pool, index) => tryCreate(nodePools, withSiblings(pool, cluster, pools.slice(0, index)), signal)),
  ]);
  return { cluster: ofCluster, pools: ofPools };
}

/** How many things the API objects to; undefined: it has not been heard. */
export function objections({ cluster, pools }: DraftResult): number | undefined {
  const all = [cluster, ...pools];
  if (all.some(({ failure }) => failure?.isPassing)) return undefined;
  return all.reduce((sum, { problems }) => sum + [...problems.values()].flat().length, 0);
}
