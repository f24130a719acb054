import type { Cluster } from '@fairway/api/kinds/cluster';

/** Usage of a plan or release. */
export interface PlanUsage {
  readonly clusters: number;
  readonly projects: number;
  readonly nodes: number;
}

/** Usage by value of a property of clusters. */
export function usageByPlan(
  clusters: readonly Cluster[],
  keyOf: (cluster: Cluster) => string | undefined,
): ReadonlyMap<string, PlanUsage> {
  const usageDrafts = new Map<string, { clusters: number; projects: Set<string>; nodes: number }>();
  for (const cluster of clusters) {
    const key = keyOf(cluster);
    if (key === undefined) continue;
    const draft = usageDrafts.get(key) ?? { clusters: 0, projects: new Set(), nodes: 0 };
    draft.clusters++;
    draft.projects.add(cluster.metadata.namespace ?? '');
    draft.nodes += cluster.status?.nodes?.current ?? 0;
    usageDrafts.set(key, draft);
  }
  return new Map([...usageDrafts].map(([key, draft]) => [key, { ...draft, projects: draft.projects.size }]));
}
