import { assignEvenly, hash32 } from '@fairway/kube/controller/rendezvous';
import { SHARDS } from '@fairway/service/serve/share';

/** Number of clusters and replicas, and distribution of the clusters over projects. */
export interface Size {
  readonly clusters: number;
  readonly replicas: number;
}

export const CLUSTERS_OF_A_PROJECT = 10;
export const NODES_OF_A_CLUSTER = 10;

export interface Share {
  /** Clusters of the replica with the most. */
  readonly mostClusters: number;
  /** Projects in which each replica has a cluster, summed over the replicas: each is listed by each of them. */
  readonly projectsListed: number;
}

/** Assignment of clusters, by the same hashes as in replicas. Pure. */
export function shareOf({ clusters, replicas }: Size): Share {
  const owners = assignEvenly(SHARDS, replicaNames(replicas));
  const held = new Map<string, number>();
  const listed = new Set<string>();
  for (let index = 0; index < clusters; index++) {
    const namespace = `team-${Math.floor(index / CLUSTERS_OF_A_PROJECT)}`;
    const owner = owners[hash32(`${namespace}/cluster-${index}`) % SHARDS] ?? '';
    held.set(owner, (held.get(owner) ?? 0) + 1);
    listed.add(`${owner} ${namespace}`);
  }
  return { mostClusters: Math.max(...held.values()), projectsListed: listed.size };
}

export function replicaNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `replica-${index}`);
}
