import { isIP } from 'node:net';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { Address6 } from 'ip-address';
import type { Family } from './wishes.ts';

/** Of an address, or of a range of addresses. */
export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** An address as OpenStack writes it; undefined for what is none. */
export function canonical(text: string): string | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  return version === 4 ? text : new Address6(text).correctForm();
}

/** An address of a load balancer's port. */
export interface Vip {
  readonly family: Family;
  readonly address: string;
  readonly subnetID: string | undefined;
}

/** The first one, and what Octavia calls additional ones. */
export function vipsOf(loadBalancer: LoadBalancer): readonly Vip[] {
  const { vip_address: address, vip_subnet_id: subnetID, additional_vips: additional } = loadBalancer;
  const others = (additional ?? []).flatMap(({ ip_address, subnet_id }) =>
    // OVN has taken them without heeding them for a while.
    ip_address == null ? [] : [{ family: familyOf(ip_address), address: ip_address, subnetID: subnet_id }],
  );
  return [{ family: familyOf(address), address, subnetID: subnetID ?? undefined }, ...others];
}

/** Where clients reach a load balancer: a floating IP stands for its IPv4 address. */
export function reachedAt(vips: readonly Vip[], floating: string | undefined): readonly string[] {
  return vips.map(({ family, address }) => (family === 4 && floating !== undefined ? floating : address));
}
