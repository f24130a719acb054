import { z } from 'zod';
import { list } from './collections.ts';

/** Neutron's standard attributes. */
const standardAttributes = {
  id: z.string(),
  project_id: z.string().default(''),
  tenant_id: z.string().optional(),
  description: z.string().nullish(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  /** Changes with every write: send it back as `If-Match: revision_number=N` to write only if nothing has changed. */
  revision_number: z.number().optional(),
  tags: list(z.string()).default([]),
};

export const Network = z.object({
  ...standardAttributes,
  name: z.string(),
  status: z.string(),
  admin_state_up: z.boolean().default(true),
  shared: z.boolean().default(false),
  /** From the external-net extension: an external network provides floating IPs and router gateways. */
  'router:external': z.boolean().default(false),
  subnets: list(z.string()).default([]),
  mtu: z.number().optional(),
  port_security_enabled: z.boolean().optional(),
  availability_zone_hints: list(z.string()).default([]),
  availability_zones: list(z.string()).default([]),
  is_default: z.boolean().nullish(),
  dns_domain: z.string().nullish(),
});
export type Network = z.infer<typeof Network>;

export const NetworkCreate = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  admin_state_up: z.boolean().optional(),
  shared: z.boolean().optional(),
  'router:external': z.boolean().optional(),
  mtu: z.number().optional(),
  port_security_enabled: z.boolean().optional(),
  availability_zone_hints: list(z.string()).optional(),
  project_id: z.string().optional(),
});
export type NetworkCreate = z.infer<typeof NetworkCreate>;

export const AllocationPool = z.object({ start: z.string(), end: z.string() });
export const HostRoute = z.object({ destination: z.string(), nexthop: z.string() });
export type HostRoute = z.infer<typeof HostRoute>;

export const Subnet = z.object({
  ...standardAttributes,
  name: z.string(),
  network_id: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  cidr: z.string(),
  /** Null for a subnet without a default gateway. */
  gateway_ip: z.string().nullish(),
  enable_dhcp: z.boolean().default(true),
  dns_nameservers: list(z.string()).default([]),
  allocation_pools: list(AllocationPool).default([]),
  host_routes: list(HostRoute).default([]),
  ipv6_address_mode: z.string().nullish(),
  ipv6_ra_mode: z.string().nullish(),
  subnetpool_id: z.string().nullish(),
  service_types: list(z.string()).optional(),
});
export type Subnet = z.infer<typeof Subnet>;

export const SubnetCreate = z.object({
  network_id: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  cidr: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  gateway_ip: z.string().nullish(),
  enable_dhcp: z.boolean().optional(),
  dns_nameservers: list(z.string()).optional(),
  allocation_pools: list(AllocationPool).optional(),
  host_routes: list(HostRoute).optional(),
  ipv6_address_mode: z.string().optional(),
  ipv6_ra_mode: z.string().optional(),
  subnetpool_id: z.string().optional(),
});
export type SubnetCreate = z.infer<typeof SubnetCreate>;

/** A range from which subnets can be allocated. */
export const SubnetPool = z.object({
  id: z.string(),
  name: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
});
export type SubnetPool = z.infer<typeof SubnetPool>;

export const FixedIp = z.object({ subnet_id: z.string(), ip_address: z.string() });
export type FixedIp = z.infer<typeof FixedIp>;

export const ExternalGateway = z.object({
  network_id: z.string(),
  enable_snat: z.boolean().optional(),
  external_fixed_ips: list(
    z.object({ subnet_id: z.string().optional(), ip_address: z.string().optional() }),
  ).optional(),
});
export type ExternalGateway = z.infer<typeof ExternalGateway>;

export const Router = z.object({
  ...standardAttributes,
  name: z.string(),
  status: z.string(),
  admin_state_up: z.boolean().default(true),
  external_gateway_info: ExternalGateway.nullish(),
  routes: list(HostRoute).default([]),
  availability_zone_hints: list(z.string()).default([]),
  availability_zones: list(z.string()).default([]),
  distributed: z.boolean().optional(),
  ha: z.boolean().optional(),
  flavor_id: z.string().nullish(),
});
export type Router = z.infer<typeof Router>;

export const RouterCreate = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  admin_state_up: z.boolean().optional(),
  external_gateway_info: ExternalGateway.nullish(),
  availability_zone_hints: list(z.string()).optional(),
});
export type RouterCreate = z.infer<typeof RouterCreate>;

/** The response to `add_router_interface` and `remove_router_interface`. */
export const RouterInterface = z.object({
  id: z.string(),
  subnet_id: z.string(),
  subnet_ids: list(z.string()).optional(),
  port_id: z.string(),
  network_id: z.string().optional(),
  tenant_id: z.string().optional(),
});
export type RouterInterface = z.infer<typeof RouterInterface>;

export const AllowedAddressPair = z.object({ ip_address: z.string(), mac_address: z.string().optional() });
export type AllowedAddressPair = z.infer<typeof AllowedAddressPair>;

export const Port = z.object({
  ...standardAttributes,
  name: z.string(),
  network_id: z.string(),
  mac_address: z.string(),
  /** `ACTIVE`, `DOWN`, `BUILD`, `ERROR`. */
  status: z.string(),
  admin_state_up: z.boolean().default(true),
  /** `compute:ZONE` for a server's port, `network:router_interface`, `network:floatingip`… */
  device_owner: z.string().default(''),
  /** The id of the server or router. */
  device_id: z.string().default(''),
  fixed_ips: list(FixedIp).default([]),
  security_groups: list(z.string()).default([]),
  allowed_address_pairs: list(AllowedAddressPair).default([]),
  port_security_enabled: z.boolean().optional(),
  'binding:vnic_type': z.string().optional(),
  dns_name: z.string().nullish(),
});
export type Port = z.infer<typeof Port>;

/** No tags, since some clouds accept and drop them. */
export const PortCreate = z.object({
  network_id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  admin_state_up: z.boolean().optional(),
  mac_address: z.string().optional(),
  fixed_ips: list(z.object({ subnet_id: z.string().optional(), ip_address: z.string().optional() })).optional(),
  security_groups: list(z.string()).optional(),
  allowed_address_pairs: list(AllowedAddressPair).optional(),
  port_security_enabled: z.boolean().optional(),
  device_id: z.string().optional(),
  device_owner: z.string().optional(),
  'binding:vnic_type': z.string().optional(),
});
export type PortCreate = z.infer<typeof PortCreate>;

export const FloatingIp = z.object({
  ...standardAttributes,
  floating_network_id: z.string(),
  floating_ip_address: z.string(),
  fixed_ip_address: z.string().nullish(),
  port_id: z.string().nullish(),
  router_id: z.string().nullish(),
  /** `ACTIVE`, `DOWN`, `ERROR`. */
  status: z.string(),
  dns_name: z.string().nullish(),
  dns_domain: z.string().nullish(),
  port_details: z.looseObject({ device_id: z.string().optional() }).nullish(),
});
export type FloatingIp = z.infer<typeof FloatingIp>;

export const FloatingIpCreate = z.object({
  floating_network_id: z.string(),
  description: z.string().optional(),
  port_id: z.string().nullish(),
  fixed_ip_address: z.string().optional(),
  floating_ip_address: z.string().optional(),
  subnet_id: z.string().optional(),
});
export type FloatingIpCreate = z.infer<typeof FloatingIpCreate>;

/** `GET /v2.0/extensions`. */
export const NetworkExtension = z.object({
  alias: z.string(),
  name: z.string(),
  description: z.string().optional(),
  updated: z.string().optional(),
  links: list(z.unknown()).optional(),
});
export type NetworkExtension = z.infer<typeof NetworkExtension>;

/** `GET /v2.0/availability_zones`. */
export const NetworkAvailabilityZone = z.object({
  name: z.string(),
  resource: z.enum(['network', 'router']),
  state: z.string(),
});
export type NetworkAvailabilityZone = z.infer<typeof NetworkAvailabilityZone>;

/** `GET /v2.0/quotas/{project}/details.json`; a limit of -1 means "no limit". */
export const NetworkQuotaItem = z.object({ limit: z.number(), used: z.number(), reserved: z.number().default(0) });
export type NetworkQuotaItem = z.infer<typeof NetworkQuotaItem>;

export const NetworkQuotaDetails = z.object({
  network: NetworkQuotaItem,
  subnet: NetworkQuotaItem,
  port: NetworkQuotaItem,
  router: NetworkQuotaItem.optional(),
  floatingip: NetworkQuotaItem.optional(),
  security_group: NetworkQuotaItem.optional(),
  security_group_rule: NetworkQuotaItem.optional(),
});
export type NetworkQuotaDetails = z.infer<typeof NetworkQuotaDetails>;
