import type { GatewayOwner } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import type { Gateway } from './kinds.ts';
import type { TenantGateways } from './tenant-gateways.ts';

/** A Gateway with its cluster and the project of its load balancer. */
export interface GatewayScope extends LoadBalancerScope {
  readonly owner: GatewayOwner;
}

/** The scope of an existing Gateway. */
export interface PresentGatewayScope extends GatewayScope {
  readonly gateway: Gateway;
  readonly gateways: TenantGateways;
}

/** The part of the scope that is needed to write to the cluster. */
export type GatewayWriteScope = Pick<PresentGatewayScope, 'gateway' | 'tenant' | 'signal'>;
