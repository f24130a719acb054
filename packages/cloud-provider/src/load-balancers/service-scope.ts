import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Service } from '@fairway/kube/kinds/generated/types';
import type { ServiceOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** One Service, the cluster that it is in, and the project that its load balancer is in. */
export interface ServiceScope {
  readonly key: string;
  readonly owner: ServiceOwner;
  readonly tenant: TenantCluster;
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
  readonly projectID: string;
  readonly signal: AbortSignal;
}

/** The same where the Service exists. */
export interface LivingScope extends ServiceScope {
  readonly service: Service;
}

/** As much of it as it takes to write to the Service. */
export type ServicePlace = Pick<LivingScope, 'service' | 'tenant' | 'signal'>;
