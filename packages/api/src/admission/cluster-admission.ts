import type { EffectiveQuota } from '../domain/project-quota.ts';
import type { CloudCredential } from '../kinds/cloud-credential.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

/** A Cluster to be stored, with what it is validated against. */
export interface ClusterAdmission {
  readonly cluster: Cluster;
  /** The stored object; undefined on create. */
  readonly old: Cluster | undefined;
  readonly plans: readonly Plan[];
  readonly releases: readonly KubernetesRelease[];
  readonly nowMs: number;
  readonly catalogue: CloudCatalogue;
  /** The plan that it names, if any. */
  readonly credential?: CloudCredential | undefined;
  /** The other clusters of the namespace. */
  readonly others: readonly Cluster[];
  /** The pools of the namespace, of any cluster. */
  readonly pools: readonly NodePool[];
  /** Of the namespace; unlimited by default. */
  readonly quota?: EffectiveQuota;
  /** Why this Fairway can't enforce `spec.apiServer.allowedCIDRs`; undefined: it can. */
  readonly allowedCIDRsProblem?: string | undefined;
  /** Why this Fairway lets no users of Keystone in at clusters; undefined: it does. */
  readonly keystoneProblem?: string | undefined;
}

/** Whether it is new to its plan: created, or moved to it. */
export function isNewToPlan({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  return old?.spec.plan !== cluster.spec.plan;
}

/** Whether its ranges, pod network and kube-proxy mode are still to be decided, by what the plan says now. */
export function isUndecided(admission: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  return isNewToPlan(admission) && admission.old?.status?.podCIDR === undefined;
}
