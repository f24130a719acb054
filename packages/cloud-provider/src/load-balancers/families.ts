import { isIP } from 'node:net';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { Address6 } from 'ip-address';
import type { Family } from './load-balancer-spec.ts';

/** The family of an address or a range. */
export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** An address in OpenStack's notation; undefined if invalid. */
export function canonicalAddress(text: string): string | undefined {
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

/** The first VIP, and those that Octavia calls additional. */
export function vipsOf(loadBalancer: LoadBalancer): readonly Vip[] {
  const { vip_address: address, vip_subnet_id: subnetID, additional_vips: additional } = loadBalancer;
  const others = (additional ?? []).flatMap(({ ip_address, subnet_id }) =>
    // Some versions of OVN accept additional VIPs but ignore them.
    ip_address == null ? [] : [{ family: familyOf(ip_address), address: ip_address, subnetID: subnet_id }],
  );
  return [{ family: familyOf(address), address, subnetID: subnetID ?? undefined }, ...others];
}

/** Addresses for clients: a floating IP replaces the IPv4 address. */
export function clientAddresses(vips: readonly Vip[], floatingIP: string | undefined): readonly string[] {
  return vips.map(({ family, address }) => (family === 4 && floatingIP !== undefined ? floatingIP : address));
}
