import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { oldestOf } from './version-status.ts';

export type NodeCounts = NonNullable<ClusterStatus['nodes']>;

/** Nodes of all pools of a cluster; a hibernated one should have none. Pure. */
export function nodeCounts(pools: readonly NodePool[], cluster: Pick<Cluster, 'status'>): NodeCounts {
  const counts: NodeCounts = { desired: 0, current: 0, ready: 0, upToDate: 0 };
  for (const pool of pools) {
    const { metadata, status } = pool;
    if (metadata.deletionTimestamp === undefined) counts.desired += targetReplicas(pool, cluster);
    counts.current += status?.replicas ?? 0;
    counts.ready += status?.readyReplicas ?? 0;
    counts.upToDate += status?.updatedReplicas ?? 0;
  }
  const oldestVersion = oldestOf(pools.flatMap(({ status }) => status?.version ?? []));
  return oldestVersion === undefined ? counts : { ...counts, oldestVersion };
}
