import type { LoadBalancerIngress } from '@fairway/kube/kinds/generated/types';
import { isProxied } from './provider-limits.ts';
import type { Wishes } from './wishes.ts';

/**
 * `status.loadBalancer.ingress` of a Service. Behind PROXY the load balancer must be passed also by clients within the cluster: `ipMode: Proxy` keeps
 * kube-proxy from short-cutting it (https://kubernetes.io/docs/concepts/services-networking/service/#load-balancer-ip-mode).
 */
export function ingressOf(
  { hostname, ports }: Pick<Wishes, 'hostname' | 'ports'>,
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  if (hostname !== undefined) return [{ hostname }];
  return addresses.map((ip) => ({ ip, ipMode: ports.some(isProxied) ? 'Proxy' : 'VIP' }));
}
