import { clusters, nodePools } from '../../api/resources.ts';
import { type ClusterDraft, clusterOf, poolsOf } from '../../cluster/draft.ts';
import { type DryRunResult, dryRunCreate, withSiblings } from '../../cluster/dry-run.ts';

export interface DraftResult {
  readonly cluster: DryRunResult;
  /** Results for the pools, in order. */
  readonly pools: readonly DryRunResult[];
}

/** Dry-runs a cluster and its pools, each together with the objects before it. */
export async function dryRunDraft(draft: ClusterDraft, namespace: string, signal: AbortSignal): Promise<DraftResult> {
  const cluster = clusterOf(draft, namespace);
  const pools = poolsOf(draft, namespace);
  const [clusterResult, ...poolResults] = await Promise.all([
    dryRunCreate(clusters, cluster, signal),
    ...pools.map((pool, index) => dryRunCreate(nodePools, withSiblings(pool, cluster, pools.slice(0, index)), signal)),
  ]);
  return { cluster: clusterResult, pools: poolResults };
}

/** The number of errors from the API; undefined if there was no response. */
export function problemCount({ cluster, pools }: DraftResult): number | undefined {
  const all = [cluster, ...pools];
  if (all.some(({ failure }) => failure?.isTransient)) return undefined;
  return all.reduce((sum, { problems }) => sum + [...problems.values()].flat().length, 0);
}
