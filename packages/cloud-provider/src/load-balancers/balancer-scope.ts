import type { Cluster } from '@fairway/api/kinds/cluster';
import type { BalancerOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { UpstreamMarks } from './upstream-marks.ts';

/** What a load balancer is for, the cluster that this is in, and the project that the load balancer is in. */
export interface BalancerScope {
  /** Of the queue. */
  readonly key: string;
  readonly owner: BalancerOwner;
  readonly tenant: TenantCluster;
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
  readonly projectID: string;
  readonly signal: AbortSignal;
  /** Key of whom the load balancer was made for, where that is somebody else: what is known of the load balancer itself is kept by it. */
  readonly hostKey?: string;
  /** Where the operator lets load balancers of cloud-provider-openstack be taken over: how it marked the Service's. */
  readonly upstream?: UpstreamMarks | undefined;
}
