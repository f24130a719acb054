import type { CloudCredential } from '../kinds/cloud-credential.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';

/** A Cluster that is about to be stored, with what it is checked against. */
export interface ClusterAdmission {
  readonly cluster: Cluster;
  /** What is stored now; undefined on create. */
  readonly old: Cluster | undefined;
  readonly plans: readonly Plan[];
  readonly releases: readonly KubernetesRelease[];
  readonly catalogue: CloudCatalogue;
  /** The one that it names, if any. */
  readonly credential?: CloudCredential | undefined;
  /** The other clusters of the namespace. */
  readonly others: readonly Cluster[];
  /** The pools of the namespace, of whatever cluster. */
  readonly pools: readonly NodePool[];
}
