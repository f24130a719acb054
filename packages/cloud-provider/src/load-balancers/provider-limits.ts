import { ANNOTATION } from './annotation-names.ts';
import type { LoadBalancerSpec, PortSpec } from './load-balancer-spec.ts';
import { ServiceRefused } from './service-refused.ts';

/** OVN forwards packets without inspecting them. */
export function isOvn(provider: string | undefined): boolean {
  return provider === 'ovn';
}

/**
 * Throws ServiceRefused for settings that the provider does not support: Octavia would reject the whole load balancer,
 * or ignore the setting.
 */
export function requireSupported({
  provider,
  tlsContainerRef,
  addsForwardedFor,
  ports,
  sourceRanges,
  persistsBySource,
}: LoadBalancerSpec): void {
  if (!isOvn(provider)) return;
  const requested = [
    { is: tlsContainerRef !== undefined, field: `annotation ${ANNOTATION.tlsContainerRef}` },
    { is: addsForwardedFor, field: `annotation ${ANNOTATION.xForwardedFor}` },
    { is: ports.some(usesProxyProtocol), field: `annotation ${ANNOTATION.proxyProtocol}` },
    { is: sourceRanges.length > 0, field: 'spec.loadBalancerSourceRanges' },
    { is: persistsBySource, field: 'spec.sessionAffinity: ClientIP' },
  ].filter(({ is }) => is);
  if (requested.length === 0) return;
  const fields = requested.map(({ field }) => field).join(', ');
  throw new ServiceRefused(`provider ovn does not support ${fields}; use provider amphora, or remove it`);
}

/** Whether clients of a port reach only members of their own IP family: packet forwarders such as OVN and LVS do not translate families. */
export function usesMemberFamily(
  { listenerProtocol }: PortSpec,
  { provider }: Pick<LoadBalancerSpec, 'provider'>,
): boolean {
  return isOvn(provider) || listenerProtocol === 'UDP' || listenerProtocol === 'SCTP';
}

export function usesProxyProtocol({ poolProtocol }: Pick<LoadBalancerSpec['ports'][number], 'poolProtocol'>): boolean {
  return poolProtocol === 'PROXY' || poolProtocol === 'PROXYV2';
}
