import { isIP } from 'node:net';
import type { LoadBalancerIngress } from '@fairway/kube/kinds/generated/types';
import { isProxied } from './provider-limits.ts';
import type { Wishes } from './wishes.ts';

/**
 * `status.loadBalancer.ingress` of a Service. Behind PROXY the load balancer must be passed also by clients within the cluster: `ipMode: Proxy` keeps
 * kube-proxy from short-cutting it (https://kubernetes.io/docs/concepts/services-networking/service/#load-balancer-ip-mode).
 */
export function ingressOf(
  { hostname, hostnameSuffix, ports }: Pick<Wishes, 'hostname' | 'hostnameSuffix' | 'ports'>,
  address: string,
): LoadBalancerIngress {
  if (hostname !== undefined) return { hostname };
  const isBehindProxy = ports.some(isProxied);
  if (isBehindProxy && hostnameSuffix !== undefined && isIP(address) === 4) {
    return { hostname: `${address}.${hostnameSuffix}` };
  }
  return { ip: address, ipMode: isBehindProxy ? 'Proxy' : 'VIP' };
}
