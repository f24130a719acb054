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
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  if (hostname !== undefined) return [{ hostname }];
  const isBehindProxy = ports.some(isProxied);
  return addresses.map((ip) => {
    const isNamed = isBehindProxy && hostnameSuffix !== undefined && isIP(ip) === 4;
    return isNamed ? { hostname: `${ip}.${hostnameSuffix}` } : { ip, ipMode: isBehindProxy ? 'Proxy' : 'VIP' };
  });
}
