import type { Cluster } from '@fairway/api/kinds/cluster';
import type { LoadBalancerOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { UpstreamMarks } from './upstream-marks.ts';

/** The owner of a load balancer, the owner's cluster, and the project of the load balancer. */
export interface LoadBalancerScope {
  /** Queue key. */
  readonly key: string;
  readonly owner: LoadBalancerOwner;
  readonly tenant: TenantCluster;
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
  readonly projectID: string;
  readonly signal: AbortSignal;
  /**
   * Key of the load balancer's owner if that is a different object: state of the load balancer itself is stored under
   * this key.
   */
  readonly hostKey?: string;
  /** cloud-provider-openstack's marks for the Service, if the operator allows its load balancers to be taken over. */
  readonly upstream?: UpstreamMarks | undefined;
}
