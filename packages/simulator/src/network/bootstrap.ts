import type { World } from '../world.ts';
import { parseIp } from './cidr.ts';
import { newResource } from './stamp.ts';

/** Creates the configured external network, owned by the administrators' project. */
export function bootstrapNetwork(world: World): void {
  const { externalNetwork: spec, entries } = world.config;
  const admin = entries.find((entry) => entry.role === 'admin');
  const owner = world.tables.projects.find((project) => project.name === admin?.project)?.id ?? '';
  const network = world.tables.networks.put({
    ...newResource(world, owner, 'Floating IPs and router gateways'),
    name: spec.name,
    status: 'ACTIVE',
    admin_state_up: true,
    shared: false,
    'router:external': true,
    is_default: true,
    mtu: 1500,
    port_security_enabled: true,
    availability_zone_hints: [],
    'provider:network_type': 'flat',
    'provider:physical_network': 'external',
    'provider:segmentation_id': null,
  });
  world.tables.subnets.put({
    ...newResource(world, owner, ''),
    name: `${spec.name}-subnet`,
    network_id: network.id,
    ip_version: parseIp(spec.gatewayIp)?.version ?? 4,
    cidr: spec.cidr,
    gateway_ip: spec.gatewayIp,
    enable_dhcp: false,
    dns_nameservers: [],
    allocation_pools: [spec.allocationPool],
    host_routes: [],
    ipv6_address_mode: null,
    ipv6_ra_mode: null,
    service_types: [],
  });
}
