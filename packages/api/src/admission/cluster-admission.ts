import type { EffectiveQuota } from '../domain/project-quota.ts';
import type { CloudCredential } from '../kinds/cloud-credential.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import type { UnenforcedFields } from './unenforced-fields.ts';

/** A Cluster to store, and the facts to validate it against. */
export interface ClusterAdmission {
  readonly cluster: Cluster;
  /** The stored object; undefined on create. */
  readonly old: Cluster | undefined;
  readonly plans: readonly Plan[];
  readonly releases: readonly KubernetesRelease[];
  readonly nowMs: number;
  readonly catalogue: CloudCatalogue;
  /** The cluster's plan, if any. */
  readonly credential?: CloudCredential | undefined;
  /** The other clusters in the namespace. */
  readonly others: readonly Cluster[];
  /** The pools in the namespace, for any cluster. */
  readonly pools: readonly NodePool[];
  /** The namespace's quota; unlimited by default. */
  readonly quota?: EffectiveQuota;
  /** Fields that control planes in this installation do not honour, with the reasons. */
  readonly unenforcedFields?: UnenforcedFields | undefined;
  /** Why this installation cannot offer Keystone authentication in clusters; undefined if it can. */
  readonly keystoneProblem?: string | undefined;
}

/** Whether the cluster is new to its plan: just created, or moved from another plan. */
export function isNewToPlan({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  return old?.spec.plan !== cluster.spec.plan;
}

/** Whether the cluster's ranges, pod network and kube-proxy mode are still undecided and follow the current plan. */
export function isUndecided(admission: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  return isNewToPlan(admission) && admission.old?.status?.podCIDR === undefined;
}
