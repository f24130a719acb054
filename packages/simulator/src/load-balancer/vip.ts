import { ApiError } from '../http/api.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import { contains, formatIp, parseCidr, parseIp } from '../network/cidr.ts';
import { newPort } from '../network/ports.ts';
import { requireQuota } from '../network/quota.ts';
import { isSharedByPolicy } from '../network/rbac-policies.ts';
import type { Network, Port, Subnet } from '../network/records.ts';
import { ensureDefaultGroup } from '../network/security-groups.ts';
import type { World } from '../world.ts';
import { invalid, invalidSubresource, providerError } from './problem.ts';
import { requirePortSecurity } from './provider.ts';
import type { AdditionalVip, LoadBalancer, ProviderName } from './records.ts';
import { additionalVipsOf } from './versions.ts';

/** The request fields that concern the VIP. */
export interface VipRequest {
  readonly vip_address?: string | null | undefined;
  readonly vip_port_id?: string | null | undefined;
  readonly vip_subnet_id?: string | null | undefined;
  readonly vip_network_id?: string | null | undefined;
  readonly additional_vips?:
    | readonly { subnet_id: string; ip_address?: string | null | undefined }[]
    | null
    | undefined;
}

/** The validated and completed placement of the VIP. */
export interface VipPlacement {
  readonly network: Network;
  readonly subnetId: string;
  readonly address: string | undefined;
  /** Set if the port belongs to the user. */
  readonly port: Port | undefined;
  readonly additional: readonly { readonly subnet_id: string; readonly ip_address?: string | undefined }[];
}

export type Vip = Pick<
  LoadBalancer,
  'vip_address' | 'vip_port_id' | 'vip_subnet_id' | 'vip_network_id' | 'additional_vips' | 'ownsVipPort'
>;

/** Determines the placement of a VIP from the requested port, network or subnet, in this order of precedence. */
export function placeVip(world: World, access: Access, request: VipRequest): VipPlacement {
  const { vip_port_id, vip_network_id, vip_subnet_id } = request;
  const place =
    vip_port_id != null
      ? placeOnPort(world, access, vip_port_id, request)
      : vip_network_id != null
        ? placeOnNetwork(world, access, vip_network_id, request)
        : vip_subnet_id != null
          ? placeOnSubnet(world, access, vip_subnet_id, request)
          : undefined;
  if (place === undefined) throw invalid('VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.');
  const additional = (request.additional_vips ?? []).map(({ subnet_id, ip_address }) => ({
    subnet_id,
    ...(ip_address != null && { ip_address }),
  }));
  const used = new Set([place.subnetId]);
  for (const { subnet_id } of additional) {
    if (used.has(subnet_id)) throw invalid('Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.');
    used.add(subnet_id);
    if (findSubnet(world, access, subnet_id).network_id !== place.network.id)
      throw invalid('All VIP subnets must belong to the same network.');
  }
  return { ...place, additional };
}

type AddressPlace = Omit<VipPlacement, 'additional'>;

function placeOnPort(
  world: World,
  access: Access,
  id: string,
  { vip_subnet_id, vip_address }: VipRequest,
): AddressPlace {
  const port = world.tables.ports.get(id);
  if (port === undefined || !(isAdmin(access) || port.project_id === access.projectId))
    throw invalidSubresource('Port', id);
  if (port.device_id !== '') throw invalid(`Port ${id} is already used by device ${port.device_id} `);
  const network = findNetwork(world, access, port.network_id);
  if (vip_subnet_id != null) {
    findSubnet(world, access, vip_subnet_id);
    const fixedIp = port.fixed_ips.find(({ subnet_id }) => subnet_id === vip_subnet_id);
    const address = vip_address ?? fixedIp?.ip_address;
    if (address === undefined)
      throw invalid('No VIP address found on the specified VIP port within the specified subnet.');
    return { network, subnetId: vip_subnet_id, address, port };
  }
  if (vip_address != null) {
    const fixedIp = port.fixed_ips.find(({ ip_address }) => ip_address === normalizedAddress(vip_address));
    if (fixedIp === undefined) throw invalid('Specified VIP address not found on the specified VIP port.');
    return { network, subnetId: fixedIp.subnet_id, address: fixedIp.ip_address, port };
  }
  const [only, ...others] = port.fixed_ips;
  if (only === undefined || others.length > 0)
    throw invalid("VIP port's subnet could not be determined. Please specify either a VIP subnet or address.");
  return { network, subnetId: only.subnet_id, address: only.ip_address, port };
}

function placeOnNetwork(
  world: World,
  access: Access,
  id: string,
  { vip_subnet_id, vip_address }: VipRequest,
): AddressPlace {
  const network = findNetwork(world, access, id);
  const subnets = world.indexes.subnetsByNetwork.of(id);
  const at = (subnetId: string): AddressPlace => ({
    network,
    subnetId,
    address: vip_address ?? undefined,
    port: undefined,
  });
  if (vip_subnet_id != null) {
    if (!subnets.some((subnet) => subnet.id === vip_subnet_id)) throw invalidSubresource('Subnet', vip_subnet_id);
    return at(vip_subnet_id);
  }
  if (vip_address != null) {
    const home = subnets.find(({ cidr }) => isIn(cidr, vip_address));
    if (home === undefined) throw invalid('Supplied network does not contain a subnet for VIP address specified.');
    return at(home.id);
  }
  const chosen = subnets.find((subnet) => subnet.ip_version === 4) ?? subnets[0];
  if (chosen === undefined) throw invalid('Supplied network does not contain a subnet.');
  return at(chosen.id);
}

function placeOnSubnet(world: World, access: Access, id: string, { vip_address }: VipRequest): AddressPlace {
  const subnet = findSubnet(world, access, id);
  const network = findNetwork(world, access, subnet.network_id);
  return { network, subnetId: id, address: vip_address ?? undefined, port: undefined };
}

function findNetwork(world: World, access: Access, id: string): Network {
  const network = world.tables.networks.get(id);
  if (network === undefined || !canUseNetwork(world, access, network)) throw invalidSubresource('Network', id);
  return network;
}

/** The subnet with this ID; throws 400 if it is not visible to the caller. */
export function findSubnet(world: World, access: Access, id: string): Subnet {
  const subnet = world.tables.subnets.get(id);
  const network = world.tables.networks.get(subnet?.network_id ?? '');
  if (subnet === undefined || network === undefined || !canUseNetwork(world, access, network))
    throw invalidSubresource('Subnet', id);
  return subnet;
}

function canUseNetwork(world: World, access: Access, network: Network): boolean {
  const isOwn = isAdmin(access) || network.project_id === access.projectId;
  return isOwn || network.shared || network['router:external'] || isSharedByPolicy(world, network.id, access.projectId);
}

/** Creates the VIP's port, or uses the requested one. */
export function allocateVip(world: World, provider: ProviderName, owner: Owner, place: VipPlacement): Vip {
  const { network, subnetId, address, additional } = place;
  requirePortSecurity(provider, network.port_security_enabled);
  const port = place.port ?? world.tables.ports.put(makePort(world, provider, owner, place));
  const [first] = place.port === undefined ? port.fixed_ips : [{ ip_address: address ?? '' }];
  const vips: readonly AdditionalVip[] = additional.map(({ subnet_id }) => ({
    subnet_id,
    ip_address: port.fixed_ips.find((ip) => ip.subnet_id === subnet_id)?.ip_address ?? null,
  }));
  return {
    vip_address: first?.ip_address ?? '',
    vip_port_id: port.id,
    vip_subnet_id: subnetId,
    vip_network_id: network.id,
    additional_vips: vips,
    ownsVipPort: place.port === undefined,
  };
}

interface Owner {
  readonly loadBalancerId: string;
  readonly projectId: string;
}

function makePort(
  world: World,
  provider: ProviderName,
  { loadBalancerId, projectId }: Owner,
  place: VipPlacement,
): Port {
  const { network, subnetId, address } = place;
  const isAmphora = provider === 'amphora';
  const additional = isAmphora || additionalVipsOf(world).areHeeded ? place.additional : [];
  const groups = network.port_security_enabled ? [ensureDefaultGroup(world, projectId).id] : [];
  try {
    requireQuota(world, 'port', world.tables.ports, projectId, 1);
    return newPort(world, {
      network,
      projectId,
      fixedIps: [{ subnet_id: subnetId, ...(address !== undefined && { ip_address: address }) }, ...additional],
      fields: {
        name: `${isAmphora ? 'octavia-lb-' : 'ovn-lb-vip-'}${loadBalancerId}`,
        admin_state_up: !isAmphora,
        security_groups: groups,
        ...(isAmphora && { device_id: `lb-${loadBalancerId}`, device_owner: 'Octavia' }),
      },
    });
  } catch (error) {
    // The provider reports Neutron's errors as its own.
    if (error instanceof ApiError) throw providerError(provider, error.message);
    throw error;
  }
}

function isIn(cidr: string, address: string): boolean {
  const [range, ip] = [parseCidr(cidr), parseIp(address)];
  return range !== undefined && ip !== undefined && contains(range, ip);
}

function normalizedAddress(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? address : formatIp(ip);
}
