import type { Cluster } from '@fairway/api/kinds/cluster';

/** Who uses something. */
export interface Use {
  readonly clusters: number;
  readonly projects: number;
  readonly nodes: number;
}

/** Use of each value of a property of clusters. */
export function useBy(
  clusters: readonly Cluster[],
  keyOf: (cluster: Cluster) => string | undefined,
): ReadonlyMap<string, Use> {
  const drafts = new Map<string, { clusters: number; projects: Set<string>; nodes: number }>();
  for (const cluster of clusters) {
    const key = keyOf(cluster);
    if (key === undefined) continue;
    const draft = drafts.get(key) ?? { clusters: 0, projects: new Set(), nodes: 0 };
    draft.clusters++;
    draft.projects.add(cluster.metadata.namespace ?? '');
    draft.nodes += cluster.status?.nodes?.current ?? 0;
    drafts.set(key, draft);
  }
  return new Map([...drafts].map(([key, draft]) => [key, { ...draft, projects: draft.projects.size }]));
}
