import { formatAddress, parseAddress, parseCidr } from '@fairway/api/domain/cidr';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { SubnetUpdate } from '@fairway/openstack/network/network';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Port, Subnet } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { NetworkStep } from './network-state.ts';

type SetGateway = Extract<NetworkStep, { kind: 'setGateway' }>;

/**
 * Changes the default gateway of Fairway's own subnet; without an address, selects a free one. Throws a ProblemError if
 * a node has the address, or if none is free.
 */
export async function gatewayChange(
  { subnet, address }: SetGateway,
  cloud: ProjectCloud,
  cluster: Cluster,
  options: CallOptions,
): Promise<SubnetUpdate> {
  if (address === null) return { gateway_ip: null };
  const ports = await Array.fromAsync(cloud.client.network.ports.list({ network_id: subnet.network_id }, options));
  const chosen = address ?? freeAddress(subnet, ports);
  const nodes = new Set(serversOfCluster(cloud.listedServers(), identityOf(cluster)).map(({ id }) => id));
  const node = ports.find(({ device_id, fixed_ips }) => {
    return nodes.has(device_id) && fixed_ips.some(({ ip_address }) => ip_address === chosen);
  });
  if (node) {
    const message = `spec.network.gateway.address: ${chosen} is the address of node ${node.device_id}; choose another one in ${subnet.cidr}`;
    throw new ProblemError({ reason: 'GatewayMissing', message });
  }
  return { gateway_ip: chosen, allocation_pools: excludeAddress(chosen, subnet.allocation_pools) };
}

/**
 * The first address, as Neutron would select it; if it is taken, the last free one, which Neutron is least likely to
 * allocate in the meantime.
 */
function freeAddress({ id, cidr }: Subnet, ports: readonly Port[]): string {
  const { first, last } = parseCidr(cidr);
  const usedAddresses = new Set(ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address)));
  const isFree = (value: number) => !usedAddresses.has(formatAddress(value));
  if (isFree(first + 1)) return formatAddress(first + 1);
  for (let value = last - 1; value > first + 1; value--) if (isFree(value)) return formatAddress(value);
  const message = `subnet ${id} has no free address for a router; delete unused ports, or scale down pools`;
  throw new ProblemError({ reason: 'AddressesExhausted', message });
}

/** Neutron accepts no gateway within the allocation pools. */
export function excludeAddress(address: string, pools: Subnet['allocation_pools']): Subnet['allocation_pools'] {
  const value = parseAddress(address);
  return pools.flatMap((pool) => {
    const start = parseAddress(pool.start);
    const end = parseAddress(pool.end);
    if (value < start || value > end) return [pool];
    const parts = [
      [start, value - 1],
      [value + 1, end],
    ] as const;
    return parts
      .filter(([from, to]) => from <= to)
      .map(([from, to]) => ({ start: formatAddress(from), end: formatAddress(to) }));
  });
}
