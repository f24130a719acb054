import { isIP } from 'node:net';
import type { LoadBalancerIngress } from '@fairway/kube/kinds/generated/types';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { usesProxyProtocol } from './provider-limits.ts';

/**
 * `status.loadBalancer.ingress` of a Service. With PROXY, clients within the cluster must also pass through the load balancer: `ipMode: Proxy` keeps
 * kube-proxy from bypassing it (https://kubernetes.io/docs/concepts/services-networking/service/#load-balancer-ip-mode).
 */
export function ingressOf(
  { hostname, hostnameSuffix, ports }: Pick<LoadBalancerSpec, 'hostname' | 'hostnameSuffix' | 'ports'>,
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  if (hostname !== undefined) return [{ hostname }];
  const isBehindProxy = ports.some(usesProxyProtocol);
  return addresses.map((ip) => {
    const isExactHost = isBehindProxy && hostnameSuffix !== undefined && isIP(ip) === 4;
    return isExactHost ? { hostname: `${ip}.${hostnameSuffix}` } : { ip, ipMode: isBehindProxy ? 'Proxy' : 'VIP' };
  });
}
