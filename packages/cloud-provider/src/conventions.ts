import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import { type InClusterLimits, inClusterLimits } from '@fairway/api/limits/in-cluster';
import type { ObjectSource } from '@fairway/kube/client/object-source';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { settingsOf } from './load-balancers/cluster-settings.ts';
import type { LoadBalancerSettings } from './load-balancers/settings.ts';

/** The differences between clusters created by Fairway and self-managed ones. */
export interface Conventions {
  /** Default load balancer settings; undefined while unknown. */
  readonly loadBalancersOf: (cluster: Cluster, cloud: ProjectCloud) => LoadBalancerSettings | undefined;
  /** The plan's limits of objects in the cluster; undefined while unknown. */
  readonly limitsOf: (cluster: Cluster, plans: ObjectSource<Plan>) => InClusterLimits | undefined;
  /** Whether a node's providerID includes its region. */
  readonly includesRegion: boolean;
  /** Whether the cluster's router is managed even though it lacks the cluster's ownership tag. */
  readonly acceptsUnmarkedRouter: boolean;
  /**
   * The `--cluster-name` of an openstack-cloud-controller-manager whose load balancers the operator takes over;
   * undefined if there is none.
   */
  readonly upstreamClusterName: string | undefined;
}

export const FAIRWAY_CONVENTIONS: Conventions = {
  loadBalancersOf: settingsOf,
  limitsOf({ spec }, plans) {
    const plan = plans.get(spec.plan);
    return plan && inClusterLimits(plan.spec);
  },
  includesRegion: true,
  acceptsUnmarkedRouter: false,
  upstreamClusterName: undefined,
};
