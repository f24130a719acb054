import { type StorageLimits, storageLimits } from '@fairway/api/domain/plan-storage';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import type { ObjectSource } from '@fairway/kube/client/object-source';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { LoadBalancerSettings } from './load-balancers/settings.ts';
import { settingsOf } from './load-balancers/settings-of-cluster.ts';

/** In what clusters of Fairway's making differ from others. */
export interface Conventions {
  /** What load balancers are like where a Service says nothing; undefined while it is unknown. */
  readonly loadBalancersOf: (cluster: Cluster, cloud: ProjectCloud) => LoadBalancerSettings | undefined;
  /** What claims may ask for; undefined while it is unknown. */
  readonly storageLimitsOf: (cluster: Cluster, plans: ObjectSource<Plan>) => StorageLimits | undefined;
  /** Whether the providerID of a node names its region. */
  readonly namesRegion: boolean;
  /** Whether the cluster's router has its routes although it does not carry the cluster's mark. */
  readonly takesUnmarkedRouter: boolean;
  /** The `--cluster-name` of an openstack-cloud-controller-manager whose load balancers the operator has taken over; undefined: none are. */
  readonly upstreamClusterName: string | undefined;
}

export const FAIRWAY_CONVENTIONS: Conventions = {
  loadBalancersOf: settingsOf,
  storageLimitsOf({ spec }, plans) {
    const plan = plans.get(spec.plan);
    return plan && storageLimits(plan.spec);
  },
  namesRegion: true,
  takesUnmarkedRouter: false,
  upstreamClusterName: undefined,
};
