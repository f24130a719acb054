import { assignEvenly, hash32 } from '@fairway/kube/controller/rendezvous';
import { SHARD_COUNT } from '@fairway/service/serve/share';

/** Number of clusters and replicas. */
export interface Size {
  readonly clusters: number;
  readonly replicas: number;
}

export const CLUSTERS_PER_PROJECT = 10;
export const NODES_PER_CLUSTER = 10;

export interface Share {
  /** Number of clusters on the replica that has the most. */
  readonly maxClusters: number;
  /**
   * Number of projects in which a replica has a cluster, summed over all replicas: each replica lists each of its
   * projects.
   */
  readonly projectsListed: number;
}

/** Assigns clusters using the same hashes as the replicas. Pure. */
export function shareOf({ clusters, replicas }: Size): Share {
  const owners = assignEvenly(SHARD_COUNT, replicaNames(replicas));
  const clustersByOwner = new Map<string, number>();
  const assignments = new Set<string>();
  for (let index = 0; index < clusters; index++) {
    const namespace = `team-${Math.floor(index / CLUSTERS_PER_PROJECT)}`;
    const owner = owners[hash32(`${namespace}/cluster-${index}`) % SHARD_COUNT] ?? '';
    clustersByOwner.set(owner, (clustersByOwner.get(owner) ?? 0) + 1);
    assignments.add(`${owner} ${namespace}`);
  }
  return { maxClusters: Math.max(...clustersByOwner.values()), projectsListed: assignments.size };
}

export function replicaNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `replica-${index}`);
}
