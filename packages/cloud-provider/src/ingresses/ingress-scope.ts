import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { IngressOwner } from '@fairway/tenancy/cloud/ownership';
import type { BalancerScope } from '../load-balancers/balancer-scope.ts';

/** One Ingress, the cluster that it is in, and the project that its load balancer is in. */
export interface IngressScope extends BalancerScope {
  readonly owner: IngressOwner;
}

/** The same where the Ingress exists. */
export interface LivingIngress extends IngressScope {
  readonly ingress: Ingress;
}

/** As much of it as it takes to write to the Ingress. */
export type IngressPlace = Pick<LivingIngress, 'ingress' | 'tenant' | 'signal'>;
