import { ANNOTATION } from './annotation-names.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PortWish, Wishes } from './wishes.ts';

/** OVN forwards packets: it reads nothing of what it forwards. */
export function isOvn(provider: string | undefined): boolean {
  return provider === 'ovn';
}

/** Throws ServiceRefused for what the provider can't do: Octavia would refuse all of the load balancer, or serve it otherwise than was asked. */
export function requireWithin({
  provider,
  tlsContainerRef,
  addsForwardedFor,
  ports,
  sourceRanges,
  persistsBySource,
}: Wishes): void {
  if (!isOvn(provider)) return;
  const asked = [
    { is: tlsContainerRef !== undefined, field: `annotation ${ANNOTATION.tlsContainerRef}` },
    { is: addsForwardedFor, field: `annotation ${ANNOTATION.xForwardedFor}` },
    { is: ports.some(isProxied), field: `annotation ${ANNOTATION.proxyProtocol}` },
    { is: sourceRanges.length > 0, field: 'spec.loadBalancerSourceRanges' },
    { is: persistsBySource, field: 'spec.sessionAffinity: ClientIP' },
  ].filter(({ is }) => is);
  if (asked.length === 0) return;
  const fields = asked.map(({ field }) => field).join(', ');
  throw new ServiceRefused(`provider ovn can't do this: ${fields}; use the provider amphora, or leave it out`);
}

/** Whether clients of a port reach only members of their own IP family: what forwards packets, as OVN and LVS, does not translate them. */
export function isByFamily({ listenerProtocol }: PortWish, { provider }: Pick<Wishes, 'provider'>): boolean {
  return isOvn(provider) || listenerProtocol === 'UDP' || listenerProtocol === 'SCTP';
}

export function isProxied({ poolProtocol }: Pick<Wishes['ports'][number], 'poolProtocol'>): boolean {
  return poolProtocol === 'PROXY' || poolProtocol === 'PROXYV2';
}
