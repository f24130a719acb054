import type { Service } from '@fairway/kube/kinds/generated/types';
import type { ServiceOwner } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from './load-balancer-scope.ts';

/** A Service with its cluster and the project of its load balancer. */
export interface ServiceScope extends LoadBalancerScope {
  readonly owner: ServiceOwner;
}

/** A scope whose Service exists. */
export interface PresentServiceScope extends ServiceScope {
  readonly service: Service;
  /** Why refused annotations of the Service have no effect. */
  readonly limitProblem?: string | undefined;
  /** Why the plan would refuse a new load balancer for the Service. */
  readonly refusals?: readonly string[] | undefined;
}

/** The part of the scope that is needed to write to the Service. */
export type ServiceWriteScope = Pick<PresentServiceScope, 'service' | 'tenant' | 'signal' | 'limitProblem'>;
