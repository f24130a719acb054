import type { Service } from '@fairway/kube/kinds/generated/types';
import type { ServiceOwner } from '@fairway/tenancy/cloud/ownership';
import type { BalancerScope } from './balancer-scope.ts';

/** One Service, the cluster that it is in, and the project that its load balancer is in. */
export interface ServiceScope extends BalancerScope {
  readonly owner: ServiceOwner;
}

/** The same where the Service exists. */
export interface LivingScope extends ServiceScope {
  readonly service: Service;
}

/** As much of it as it takes to write to the Service. */
export type ServicePlace = Pick<LivingScope, 'service' | 'tenant' | 'signal'>;
