/*
 * Neutron's objects keep their wire names, because Neutron filters and sorts by any of them.
 */

export interface Resource {
  readonly id: string;
  readonly name?: string;
  readonly project_id: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision_number: number;
}

export interface Network extends Resource {
  readonly name: string;
  readonly status: 'ACTIVE' | 'DOWN';
  readonly admin_state_up: boolean;
  readonly shared: boolean;
  readonly 'router:external': boolean;
  readonly is_default: boolean;
  readonly mtu: number;
  readonly port_security_enabled: boolean;
  readonly availability_zone_hints: readonly string[];
  readonly 'provider:network_type': string;
  readonly 'provider:physical_network': string | null;
  readonly 'provider:segmentation_id': number | null;
}

export interface AllocationPool {
  readonly start: string;
  readonly end: string;
}

export interface HostRoute {
  readonly destination: string;
  readonly nexthop: string;
}

export interface Subnet extends Resource {
  readonly name: string;
  readonly network_id: string;
  readonly ip_version: 4 | 6;
  readonly cidr: string;
  readonly gateway_ip: string | null;
  readonly enable_dhcp: boolean;
  readonly dns_nameservers: readonly string[];
  readonly allocation_pools: readonly AllocationPool[];
  readonly host_routes: readonly HostRoute[];
  readonly ipv6_address_mode: string | null;
  readonly ipv6_ra_mode: string | null;
  readonly service_types: readonly string[];
}

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

export interface AddressPair {
  readonly ip_address: string;
  readonly mac_address: string;
}

export interface Port extends Resource {
  readonly name: string;
  readonly network_id: string;
  readonly mac_address: string;
  readonly status: 'ACTIVE' | 'DOWN';
  readonly admin_state_up: boolean;
  readonly device_id: string;
  readonly device_owner: string;
  readonly fixed_ips: readonly FixedIp[];
  readonly security_groups: readonly string[];
  readonly allowed_address_pairs: readonly AddressPair[];
  readonly port_security_enabled: boolean;
  readonly 'binding:vnic_type': string;
  readonly 'binding:host_id': string;
  readonly 'binding:profile': Readonly<Record<string, unknown>>;
  /** Whether Nova created the port for a server and deletes it with the server. */
  readonly isServersOwn?: true;
}

export interface ExternalGateway {
  readonly network_id: string;
  readonly enable_snat: boolean;
  readonly external_fixed_ips: readonly FixedIp[];
}

export interface Router extends Resource {
  readonly name: string;
  readonly status: 'ACTIVE' | 'DOWN';
  readonly admin_state_up: boolean;
  readonly external_gateway_info: ExternalGateway | null;
  readonly routes: readonly HostRoute[];
  readonly distributed: boolean;
  readonly ha: boolean;
  readonly availability_zone_hints: readonly string[];
}

export interface FloatingIp extends Resource {
  readonly floating_network_id: string;
  readonly floating_ip_address: string;
  readonly port_id: string | null;
  readonly fixed_ip_address: string | null;
  readonly router_id: string | null;
  readonly status: 'ACTIVE' | 'DOWN';
}

export interface SecurityGroup extends Resource {
  readonly name: string;
  readonly stateful: boolean;
}

export interface SecurityGroupRule extends Resource {
  readonly security_group_id: string;
  readonly direction: 'ingress' | 'egress';
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly protocol: string | null;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string | null;
  readonly remote_group_id: string | null;
}

/** Shares an object with one project or with all projects. */
export interface RbacPolicy {
  readonly id: string;
  readonly object_type: 'network' | 'security_group';
  readonly object_id: string;
  readonly action: 'access_as_shared';
  /** `*` means all projects. */
  readonly target_tenant: string;
  readonly project_id: string;
}
