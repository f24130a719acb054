import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { type ClusterState, clusterState } from '../clusters/cluster-state.ts';

/** A namespace with clusters, with totals. */
export interface ProjectRow {
  readonly metadata: { readonly name: string };
  readonly clusters: number;
  readonly states: Readonly<Record<ClusterState, number>>;
  readonly nodesReady: number;
  readonly nodesDesired: number;
  /** Cores on nodes whose flavor is known. */
  readonly cores: number;
  /** Whether there are nodes with unknown flavors. */
  readonly hasMoreCores: boolean;
  /** Clusters and pools that need attention. */
  readonly problems: number;
  readonly plans: readonly string[];
}

export interface ProjectFacts {
  readonly clusters: readonly Cluster[];
  readonly nodePools: readonly NodePool[];
  readonly cloudProfiles: readonly CloudProfile[];
}

interface Draft {
  clusters: number;
  states: Record<ClusterState, number>;
  nodesReady: number;
  nodesDesired: number;
  cores: number;
  hasMoreCores: boolean;
  problems: number;
  plans: Set<string>;
}

/** Totals by namespace, computed in one pass over each list. */
export function projectRows({ clusters, nodePools, cloudProfiles }: ProjectFacts): readonly ProjectRow[] {
  const drafts = new Map<string, Draft>();
  const draftFor = (namespace = '') => {
    const found = drafts.get(namespace) ?? emptyDraft();
    drafts.set(namespace, found);
    return found;
  };
  for (const cluster of clusters) {
    const draft = draftFor(cluster.metadata.namespace);
    const state = clusterState(cluster);
    draft.clusters++;
    draft.states[state]++;
    draft.nodesReady += cluster.status?.nodes?.ready ?? 0;
    draft.nodesDesired += cluster.status?.nodes?.desired ?? 0;
    draft.plans.add(cluster.spec.plan);
    if (state === 'attention') draft.problems++;
  }
  const coresIn = coresByFlavor(cloudProfiles);
  for (const {
    metadata: { namespace = '' },
    spec,
    status,
  } of nodePools) {
    const draft = draftFor(namespace);
    const cores = coresIn(namespace, status?.flavorName ?? spec.flavor);
    const nodes = status?.replicas ?? 0;
    draft.cores += nodes * (cores ?? 0);
    if (cores === undefined && nodes > 0) draft.hasMoreCores = true;
    if (status?.phase === 'Degraded' || status?.phase === 'Failed') draft.problems++;
  }
  return [...drafts].map(([name, { plans, ...sums }]) => ({ metadata: { name }, ...sums, plans: [...plans].sort() }));
}

/** Cores by flavor name or ID, in the clouds of a namespace. */
export function coresByFlavor(
  cloudProfiles: readonly CloudProfile[],
): (namespace: string, flavor: string) => number | undefined {
  const known = new Map<string, number>();
  for (const {
    metadata: { namespace },
    status,
  } of cloudProfiles) {
    for (const { name, id, vcpus } of status?.flavors ?? []) {
      known.set(`${namespace} ${name}`, vcpus).set(`${namespace} ${id}`, vcpus);
    }
  }
  return (namespace, flavor) => known.get(`${namespace} ${flavor}`);
}

function emptyDraft(): Draft {
  return {
    clusters: 0,
    states: { attention: 0, progress: 0, ready: 0, asleep: 0 },
    nodesReady: 0,
    nodesDesired: 0,
    cores: 0,
    hasMoreCores: false,
    problems: 0,
    plans: new Set(),
  };
}
