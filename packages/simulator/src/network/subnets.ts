import { z } from 'zod';
import { canWrite, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { type Cidr, contains, formatCidr, formatIp, overlaps, parseCidr, parseIp } from './cidr.ts';
import { deletePort } from './port-lifecycle.ts';
import { conflict, disallowed, invalidInput, networkNotFound, refusalError, subnetNotFound } from './problem.ts';
import { isSharedByPolicy } from './rbac-policies.ts';
import type { AllocationPool, Subnet } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { Description, Flag, HostRoutes, IpText, Name, ownerAttributes, Uuid } from './schema.ts';
import { newResource } from './stamp.ts';

const Pools = z.array(z.strictObject({ start: IpText, end: IpText }));

const mutable = {
  name: Name.optional(),
  description: Description.nullish(),
  enable_dhcp: Flag.optional(),
  gateway_ip: IpText.nullish(),
  dns_nameservers: z.array(z.string()).optional(),
  allocation_pools: Pools.optional(),
  host_routes: HostRoutes.optional(),
  service_types: z.array(z.string()).optional(),
};

const V6_MODES = ['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'];
const CreateSubnet = z.strictObject({
  ...mutable,
  ...ownerAttributes,
  network_id: Uuid,
  ip_version: z.union([z.literal(4), z.literal(6), z.literal('4'), z.literal('6')]),
  cidr: z.string(),
  ipv6_address_mode: z.enum(V6_MODES).nullish(),
  ipv6_ra_mode: z.enum(V6_MODES).nullish(),
  subnetpool_id: z.null().optional(),
  prefixlen: z.null().optional(),
  segment_id: z.null().optional(),
});
const UpdateSubnet = z.strictObject(mutable);

export function subnetKind(world: World): ResourceKind<Subnet, typeof CreateSubnet, typeof UpdateSubnet> {
  const { networks, subnets } = world.tables;
  return {
    singular: 'subnet',
    plural: 'subnets',
    path: 'subnets',
    table: subnets,
    createSchema: CreateSubnet,
    updateSchema: UpdateSubnet,
    adminAttributes: ['segment_id', 'service_types'],
    hiddenAttributes: [],
    missing: subnetNotFound,
    isSharedWith: (access, subnet) => {
      const network = networks.get(subnet.network_id);
      return network?.shared === true || isSharedByPolicy(world, subnet.network_id, access.projectId);
    },
    create(access, projectId, body) {
      const network = networks.get(body.network_id);
      const isOwner = network?.project_id === access.projectId;
      const isShared = network?.shared === true || isSharedByPolicy(world, body.network_id, access.projectId);
      const isSeen = isOwner || isAdmin(access) || isShared || network?.['router:external'] === true;
      if (network === undefined || !isSeen) throw networkNotFound(body.network_id);
      if (!canWrite(access) || !(isOwner || isAdmin(access))) throw disallowed('create_subnet');
      const version = Number(body.ip_version) === 6 ? 6 : 4;
      const cidr = parseCidr(body.cidr);
      if (cidr === undefined || !body.cidr.includes('/')) throw invalidInput(`${body.cidr} is not in a CIDR format`);
      if (cidr.version !== version) {
        throw invalidInput(`cidr '${body.cidr}' does not match the ip_version '${version}'`);
      }
      refuseDuplicates(body.dns_nameservers);
      refuseOverlap(world, network.id, cidr, body.cidr);
      const gateway = body.gateway_ip === undefined ? defaultGateway(cidr) : body.gateway_ip;
      const pools = body.allocation_pools ?? defaultPools(cidr, gateway);
      checkPools(cidr, pools, gateway);
      return {
        ...newResource(world, projectId, body.description),
        name: body.name ?? '',
        network_id: network.id,
        ip_version: version,
        cidr: formatCidr(cidr),
        gateway_ip: gateway,
        enable_dhcp: body.enable_dhcp ?? true,
        dns_nameservers: body.dns_nameservers ?? [],
        allocation_pools: pools,
        host_routes: body.host_routes ?? [],
        ipv6_address_mode: body.ipv6_address_mode ?? null,
        ipv6_ra_mode: body.ipv6_ra_mode ?? null,
        service_types: body.service_types ?? [],
      };
    },
    update(_access, subnet, body) {
      refuseDuplicates(body.dns_nameservers);
      const cidr = parseCidr(subnet.cidr);
      const gateway = body.gateway_ip === undefined ? subnet.gateway_ip : body.gateway_ip;
      const pools = body.allocation_pools ?? subnet.allocation_pools;
      if (body.gateway_ip !== undefined && gateway !== subnet.gateway_ip) refuseGatewayInUse(world, subnet);
      if (cidr !== undefined) checkPools(cidr, pools, gateway);
      return {
        ...subnet,
        name: body.name ?? subnet.name,
        description: body.description ?? subnet.description,
        enable_dhcp: body.enable_dhcp ?? subnet.enable_dhcp,
        gateway_ip: gateway,
        dns_nameservers: body.dns_nameservers ?? subnet.dns_nameservers,
        allocation_pools: pools,
        host_routes: body.host_routes ?? subnet.host_routes,
        service_types: body.service_types ?? subnet.service_types,
      };
    },
    remove(_access, subnet) {
      const users = world.indexes.portsByNetwork
        .of(subnet.network_id)
        .filter((port) => port.fixed_ips.some((ip) => ip.subnet_id === subnet.id));
      if (users.some((port) => port.device_owner !== 'network:dhcp')) {
        throw conflict(
          'SubnetInUse',
          `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`,
        );
      }
      for (const port of users) deletePort(world, port);
    },
    derive: () => ({ subnetpool_id: null, segment_id: null }),
  };
}

/** Throws the same error as neutron-lib's `validate_nameservers`. */
function refuseDuplicates(nameservers: readonly string[] = []): void {
  const duplicate = nameservers.find((server, index) => nameservers.indexOf(server) < index);
  if (duplicate === undefined) return;
  throw refusalError(
    'HTTPBadRequest',
    `Invalid input for dns_nameservers. Reason: Duplicate nameserver '${duplicate}'.`,
  );
}

function refuseOverlap(world: World, networkId: string, cidr: Cidr, text: string): void {
  for (const other of world.indexes.subnetsByNetwork.of(networkId)) {
    const otherCidr = parseCidr(other.cidr);
    if (otherCidr === undefined || !overlaps(cidr, otherCidr)) continue;
    throw invalidInput(`Requested subnet with cidr: ${text} for network: ${networkId} overlaps with another subnet`);
  }
}

function refuseGatewayInUse(world: World, subnet: Subnet): void {
  const port = world.tables.ports.find(
    (p) =>
      p.device_owner.startsWith('network:router_interface') &&
      p.fixed_ips.some((ip) => ip.subnet_id === subnet.id && ip.ip_address === subnet.gateway_ip),
  );
  if (port === undefined) return;
  throw conflict(
    'GatewayIpInUse',
    `Current gateway ip ${subnet.gateway_ip} already in use by port ${port.id}. Unable to update.`,
  );
}

function defaultGateway(cidr: Cidr): string | null {
  if (cidr.first === cidr.last) return null;
  return formatIp({ version: cidr.version, value: cidr.first + 1n });
}

/** Usable host addresses, excluding network and broadcast address. */
function hostRange(cidr: Cidr): readonly [first: bigint, last: bigint] {
  const size = cidr.last - cidr.first + 1n;
  if (size <= 2n) return [cidr.first, cidr.last];
  return [cidr.first + 1n, cidr.version === 4 ? cidr.last - 1n : cidr.last];
}

function defaultPools(cidr: Cidr, gateway: string | null): AllocationPool[] {
  const [first, last] = hostRange(cidr);
  const gatewayValue = gateway === null ? undefined : parseIp(gateway)?.value;
  const ranges: readonly (readonly [bigint, bigint])[] =
    gatewayValue === undefined || gatewayValue < first || gatewayValue > last
      ? [[first, last]]
      : [
          [first, gatewayValue - 1n],
          [gatewayValue + 1n, last],
        ];
  return ranges
    .filter(([start, end]) => start <= end)
    .map(([start, end]) => ({
      start: formatIp({ version: cidr.version, value: start }),
      end: formatIp({ version: cidr.version, value: end }),
    }));
}

function checkPools(cidr: Cidr, pools: readonly AllocationPool[], gateway: string | null): void {
  const gatewayIp = gateway === null ? undefined : parseIp(gateway);
  if (
    gatewayIp !== undefined &&
    (gatewayIp.value === cidr.first || (cidr.version === 4 && gatewayIp.value === cidr.last)) &&
    cidr.first !== cidr.last
  ) {
    throw invalidInput('Gateway is not valid on subnet');
  }
  const ranges: (readonly [bigint, bigint])[] = [];
  for (const { start, end } of pools) {
    const from = parseIp(start);
    const to = parseIp(end);
    const printed = `${start}-${end}`;
    if (from === undefined || to === undefined || from.value > to.value) {
      throw refusalError('InvalidAllocationPool', `The allocation pool ${printed} is not valid.`);
    }
    if (!contains(cidr, from) || !contains(cidr, to)) {
      throw refusalError(
        'OutOfBoundsAllocationPool',
        `The allocation pool ${printed} spans beyond the subnet cidr ${formatCidr(cidr)}.`,
      );
    }
    if (ranges.some(([a, b]) => from.value <= b && a <= to.value)) {
      throw conflict(
        'OverlappingAllocationPools',
        `Found overlapping allocation pools: ${printed} for subnet ${formatCidr(cidr)}.`,
      );
    }
    if (
      gatewayIp !== undefined &&
      from.value <= gatewayIp.value &&
      gatewayIp.value <= to.value &&
      from.version === gatewayIp.version
    ) {
      throw conflict(
        'GatewayConflictWithAllocationPools',
        `Gateway ip ${gateway} conflicts with allocation pool ${printed}.`,
      );
    }
    ranges.push([from.value, to.value]);
  }
}
