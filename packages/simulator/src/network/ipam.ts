import type { World } from '../world.ts';
import { contains, formatIp, type IpAddress, parseCidr, parseIp, slaacAddress } from './cidr.ts';
import { badRequest, conflict, refusalError, subnetNotFound } from './problem.ts';
import type { FixedIp, Network, Port, Subnet } from './records.ts';

export interface FixedIpRequest {
  readonly subnet_id?: string | undefined;
  readonly ip_address?: string | undefined;
}

/** Allocates the addresses of a port: the requested ones, or one per IP version of the network. */
export function allocate(
  world: World,
  network: Network,
  mac: string,
  requested: readonly FixedIpRequest[] | undefined,
  { portId, isRouterPort = false }: { readonly portId?: string; readonly isRouterPort?: boolean } = {},
): FixedIp[] {
  const subnets = world.indexes.subnetsByNetwork.of(network.id);
  const taken = new TakenAddresses(world.indexes.portsByNetwork.of(network.id).filter((port) => port.id !== portId));
  if (requested !== undefined) {
    const chosen = requested.map((requestedValue) => allocateRequested(network, subnets, taken, mac, requestedValue));
    const isNew = portId === undefined;
    return isNew && !isRouterPort ? [...chosen, ...slaacAddresses(subnets, mac, chosen)] : chosen;
  }
  const fixedIps: FixedIp[] = [];
  for (const version of [4, 6] as const) {
    const versionSubnets = subnets.filter((subnet) => subnet.ip_version === version);
    const [slaacSubnets, managedSubnets] = [
      versionSubnets.filter(isSlaac),
      versionSubnets.filter((subnet) => !isSlaac(subnet)),
    ];
    for (const subnet of slaacSubnets) fixedIps.push(slaacFixedIp(subnet, mac));
    if (managedSubnets.length === 0) continue;
    const found = firstFreeAddress(managedSubnets, taken);
    if (found === undefined) throw exhaustedError(network);
    taken.add(found);
    fixedIps.push(found);
  }
  return fixedIps;
}

/** The SLAAC addresses that a new port gets in addition to requested ones. */
function slaacAddresses(subnets: readonly Subnet[], mac: string, chosen: readonly FixedIp[]): FixedIp[] {
  return subnets
    .filter((subnet) => isSlaac(subnet) && !chosen.some(({ subnet_id }) => subnet_id === subnet.id))
    .map((subnet) => slaacFixedIp(subnet, mac));
}

export function isSlaac(subnet: Subnet): boolean {
  return subnet.ipv6_address_mode === 'slaac' || subnet.ipv6_address_mode === 'dhcpv6-stateless';
}

class TakenAddresses {
  readonly #addresses = new Set<string>();

  constructor(ports: readonly Port[]) {
    for (const port of ports) for (const fixedIp of port.fixed_ips) this.add(fixedIp);
  }

  add({ subnet_id, ip_address }: FixedIp): void {
    this.#addresses.add(`${subnet_id} ${ip_address}`);
  }

  has(subnetId: string, address: string): boolean {
    return this.#addresses.has(`${subnetId} ${address}`);
  }
}

function allocateRequested(
  network: Network,
  subnets: readonly Subnet[],
  taken: TakenAddresses,
  mac: string,
  requestedValue: FixedIpRequest,
): FixedIp {
  const fixedIp = choose(network, subnets, taken, mac, requestedValue);
  taken.add(fixedIp);
  return fixedIp;
}

function choose(
  network: Network,
  subnets: readonly Subnet[],
  taken: TakenAddresses,
  mac: string,
  { subnet_id, ip_address }: FixedIpRequest,
): FixedIp {
  const subnet = subnet_id === undefined ? undefined : subnets.find((candidate) => candidate.id === subnet_id);
  if (subnet_id !== undefined && subnet === undefined) {
    throw subnetNotFound(subnet_id);
  }
  if (ip_address === undefined) {
    if (subnet === undefined)
      throw badRequest("Invalid input for fixed_ips. Reason: 'subnet_id' or 'ip_address' is needed.");
    if (isSlaac(subnet)) return slaacFixedIp(subnet, mac);
    const found = firstFreeAddress([subnet], taken);
    if (found === undefined) throw exhaustedError(network);
    return found;
  }
  const ip = parseIp(ip_address);
  const home = (subnet === undefined ? subnets : [subnet]).find(
    (candidate) => ip !== undefined && isInside(candidate, ip),
  );
  if (ip === undefined || home === undefined) throw outsideSubnetError(ip_address, subnet);
  const address = formatIp(ip);
  if (taken.has(home.id, address)) throw alreadyAllocatedError(address, home.id);
  return { subnet_id: home.id, ip_address: address };
}

function outsideSubnetError(address: string, subnet: Subnet | undefined): Error {
  return subnet === undefined
    ? refusalError(
        'InvalidIpForNetwork',
        `IP address ${address} is not a valid IP for any of the subnets on the specified network.`,
      )
    : refusalError('InvalidIpForSubnet', `IP address ${address} is not a valid IP for the specified subnet.`);
}

export function alreadyAllocatedError(address: string, subnetId: string): Error {
  return conflict('IpAddressAlreadyAllocated', `IP address ${address} already allocated in subnet ${subnetId}`);
}

function exhaustedError(network: Network): Error {
  return conflict('IpAddressGenerationFailure', `No more IP addresses available on network ${network.id}.`);
}

function isInside(subnet: Subnet, ip: IpAddress): boolean {
  const cidr = parseCidr(subnet.cidr);
  return cidr !== undefined && contains(cidr, ip);
}

function slaacFixedIp(subnet: Subnet, mac: string): FixedIp {
  const cidr = parseCidr(subnet.cidr);
  if (cidr === undefined) throw subnetNotFound(subnet.id);
  return { subnet_id: subnet.id, ip_address: slaacAddress(cidr, mac) };
}

function firstFreeAddress(subnets: readonly Subnet[], taken: TakenAddresses): FixedIp | undefined {
  for (const subnet of subnets) {
    for (const pool of subnet.allocation_pools) {
      const start = parseIp(pool.start);
      const end = parseIp(pool.end);
      if (start === undefined || end === undefined) continue;
      for (let value = start.value; value <= end.value; value++) {
        const address = formatIp({ version: subnet.ip_version, value });
        if (!taken.has(subnet.id, address)) return { subnet_id: subnet.id, ip_address: address };
      }
    }
  }
  return undefined;
}
