import { formatCidr, parseCidr, parseIp } from '../network/cidr.ts';
import { deletePort, patchPort } from '../network/port-lifecycle.ts';
import type { SecurityGroup } from '../network/records.ts';
import { newRule } from '../network/rule-row.ts';
import { newResource } from '../network/stamp.ts';
import type { World } from '../world.ts';
import type { Listener, LoadBalancer } from './records.ts';
import { addressesOf, listenersOf } from './tree.ts';
import { additionalVipsOf } from './versions.ts';

/** Octavia's own project, which contains the security groups of amphorae and is invisible to tenants. */
const SERVICE_PROJECT = '';

/**
 * Sets the amphora driver's security group on the VIP's port, replacing other groups. The group has a rule for each
 * listener or, if the listener has allowed CIDRs, for each of them. Returns the group's ID.
 */
export function openVip(world: World, loadBalancer: LoadBalancer): string {
  const { indexes, tables } = world;
  const group = tables.securityGroups.get(loadBalancer.securityGroupId ?? '') ?? makeGroup(world, loadBalancer);
  const requested = new Map(
    listenersOf(world, loadBalancer)
      .flatMap((listener) => sourcesOf(listener, loadBalancer).map((source) => ruleFor(listener, source)))
      .map((rule) => [JSON.stringify(rule), rule]),
  );
  for (const rule of indexes.rulesByGroup.of(group.id)) {
    const { direction, ethertype, protocol, port_range_min, port_range_max, remote_ip_prefix } = rule;
    if (direction !== 'ingress') continue;
    const key = JSON.stringify({ direction, ethertype, protocol, port_range_min, port_range_max, remote_ip_prefix });
    if (!requested.delete(key)) tables.securityGroupRules.delete(rule.id);
  }
  for (const rule of requested.values()) tables.securityGroupRules.put(newRule(world, group, rule));
  const port = tables.ports.get(loadBalancer.vip_port_id);
  if (port !== undefined && port.security_groups.join() !== group.id)
    patchPort(world, port, { security_groups: [group.id] });
  return group.id;
}

/** Removes the security group from the VIP's port, and deletes the port if Octavia created it. */
export function releaseVip(world: World, loadBalancer: LoadBalancer): void {
  const { indexes, tables } = world;
  const port = tables.ports.get(loadBalancer.vip_port_id);
  if (port !== undefined && loadBalancer.ownsVipPort) deletePort(world, port);
  const groupId = loadBalancer.securityGroupId;
  if (groupId === null) return;
  const left = tables.ports.get(loadBalancer.vip_port_id);
  if (left !== undefined)
    patchPort(world, left, { security_groups: left.security_groups.filter((id) => id !== groupId) });
  for (const rule of indexes.rulesByGroup.of(groupId)) tables.securityGroupRules.delete(rule.id);
  tables.securityGroups.delete(groupId);
}

function makeGroup(world: World, { id }: LoadBalancer): SecurityGroup {
  const { securityGroupRules, securityGroups } = world.tables;
  const group = securityGroups.put({ ...newResource(world, SERVICE_PROJECT, ''), name: `lb-${id}`, stateful: true });
  for (const ethertype of ['IPv4', 'IPv6'] as const)
    securityGroupRules.put(newRule(world, group, { direction: 'egress', ethertype }));
  return group;
}

interface Source {
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly prefix: string | null;
}

function sourcesOf(listener: Listener, loadBalancer: LoadBalancer): Source[] {
  const ethertypes = ethertypesOf(loadBalancer);
  if (listener.allowed_cidrs === null) return [...ethertypes].map((ethertype) => ({ ethertype, prefix: null }));
  return listener.allowed_cidrs.flatMap((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined) return [];
    const ethertype = ethertypeOf(cidr.version);
    return ethertypes.has(ethertype) ? [{ ethertype, prefix: formatCidr(cidr) }] : [];
  });
}

/**
 * Whether Neutron accepts the rules of the VIP's security group. Older versions of the driver request a rule for each
 * CIDR with the ethertype of each VIP, and fail when Neutron rejects one.
 */
export function canOpenVip(world: World, loadBalancer: LoadBalancer): boolean {
  if (additionalVipsOf(world).areHeeded || ethertypesOf(loadBalancer).size < 2) return true;
  return listenersOf(world, loadBalancer).every(({ allowed_cidrs }) => allowed_cidrs === null);
}

function ethertypesOf(loadBalancer: LoadBalancer): ReadonlySet<'IPv4' | 'IPv6'> {
  return new Set(addressesOf(loadBalancer).map((vip) => ethertypeOf(parseIp(vip)?.version)));
}

function ethertypeOf(version: 4 | 6 | undefined): 'IPv4' | 'IPv6' {
  return version === 6 ? 'IPv6' : 'IPv4';
}

function ruleFor({ protocol, protocol_port }: Listener, { ethertype, prefix }: Source) {
  return {
    direction: 'ingress' as const,
    ethertype,
    protocol: protocol === 'UDP' || protocol === 'SCTP' ? protocol.toLowerCase() : 'tcp',
    port_range_min: protocol_port,
    port_range_max: protocol_port,
    remote_ip_prefix: prefix,
  };
}
