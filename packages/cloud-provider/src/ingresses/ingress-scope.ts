import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { IngressOwner } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';

/** An Ingress with its cluster and the project of its load balancer. */
export interface IngressScope extends LoadBalancerScope {
  readonly owner: IngressOwner;
}

/** The scope of an existing Ingress. */
export interface PresentIngressScope extends IngressScope {
  readonly ingress: Ingress;
}

/** The part needed to write to the Ingress. */
export type IngressWriteScope = Pick<PresentIngressScope, 'ingress' | 'tenant' | 'signal'>;
