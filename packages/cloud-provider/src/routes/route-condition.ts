import { truncate } from '@fairway/base/truncate';
import { networkUnavailable, type TenantNode } from '@fairway/tenancy/connection/node';

/** Whether a node has its route, and if not, why. */
export type RouteState = { readonly kind: 'routed' } | { readonly kind: 'unrouted'; readonly message: string };

interface NetworkUnavailable {
  readonly type: 'NetworkUnavailable';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * The condition with which the control plane keeps pods off a node without a route, as the route controller of
 * k8s.io/cloud-provider sets it; undefined if the node already has the condition.
 */
export function routeCondition(node: TenantNode, state: RouteState): NetworkUnavailable | undefined {
  const desired: NetworkUnavailable =
    state.kind === 'routed'
      ? { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', message: 'Fairway created a route' }
      : { type: 'NetworkUnavailable', status: 'True', reason: 'NoRouteCreated', message: truncate(state.message) };
  const { status, reason, message } = networkUnavailable(node) ?? {};
  const isSame = status === desired.status && reason === desired.reason && message === desired.message;
  return isSame ? undefined : desired;
}
