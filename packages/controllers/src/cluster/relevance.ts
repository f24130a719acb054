import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';

export function isPauseChanged(old: Cluster, cluster: Cluster): boolean {
  return isPaused(old) !== isPaused(cluster);
}

/** What pools and machines look at of their cluster: not its counts, which follow from them. */
export function isClusterRelevant(old: Cluster, cluster: Cluster): boolean {
  return viewOf(old) !== viewOf(cluster);
}

function viewOf({ metadata, status, spec }: Cluster): string {
  return JSON.stringify([
    metadata.deletionTimestamp,
    isPaused({ metadata }),
    spec.image,
    status?.version,
    status?.network,
    status?.endpoint,
    status?.conditions
      ?.filter(({ type }) => type === 'NetworkReady' || type === 'ControlPlaneReady')
      .map((condition) => condition.status),
  ]);
}
