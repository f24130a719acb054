import type { GatewayOwner } from '@fairway/tenancy/cloud/ownership';
import type { BalancerScope } from '../load-balancers/balancer-scope.ts';
import type { Gateway } from './kinds.ts';
import type { TenantGateways } from './tenant-gateways.ts';

/** One Gateway, the cluster that it is in, and the project that its load balancer is in. */
export interface GatewayScope extends BalancerScope {
  readonly owner: GatewayOwner;
}

/** The same where the Gateway exists. */
export interface LivingGateway extends GatewayScope {
  readonly gateway: Gateway;
  readonly gateways: TenantGateways;
}

/** As much of it as it takes to write to the cluster. */
export type GatewayPlace = Pick<LivingGateway, 'gateway' | 'tenant' | 'signal'>;
