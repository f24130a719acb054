import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import type { Sample } from '../operator/metrics-text.ts';

/** Orphans of one kind of resource, by their state. */
export interface OrphanCount {
  readonly kind: string;
  readonly deleting: number;
  readonly held: number;
}

/** A deleted cluster whose cloud resources Fairway still checks. */
export interface DeletedCluster {
  /** Name of the ConfigMap that records it. */
  readonly name: string;
  readonly uid: string;
  /** `namespace/name`. */
  readonly cluster: string;
  readonly projectID: string | undefined;
  /** RFC 3339. */
  readonly ended: string;
}

export const ORPHANS_METRIC = 'fairway_orphans{';
export const CLUSTER_ENDED_LABEL = 'fairway.dev/ended-cluster';

/** From `fairway_orphans`; kinds without orphans are omitted. */
export function orphanCounts(samples: readonly Sample[]): readonly OrphanCount[] {
  const counts = new Map<string, { kind: string; deleting: number; held: number }>();
  for (const { labels, value } of samples) {
    const { kind = '', state } = labels;
    const count = counts.get(kind) ?? { kind, deleting: 0, held: 0 };
    counts.set(kind, count);
    if (state === 'deleting' || state === 'held') count[state] += value;
  }
  return [...counts.values()]
    .filter(({ deleting, held }) => deleting + held > 0)
    .sort((a, b) => a.kind.localeCompare(b.kind));
}

/** The records of deleted clusters, latest first. */
export function deletedClusters(records: readonly ConfigMap[]): readonly DeletedCluster[] {
  return records
    .flatMap(({ metadata: { name = '', uid = '', annotations = {} } }) => {
      const cluster = annotations['fairway.dev/cluster'];
      const ended = annotations['fairway.dev/cluster-ended'];
      if (cluster === undefined || ended === undefined) return [];
      return [{ name, uid, cluster, ended, projectID: annotations['fairway.dev/project-id'] }];
    })
    .sort((a, b) => b.ended.localeCompare(a.ended));
}
