import type { CatalogueNetwork, CatalogueSubnet } from '@fairway/api/admission/cloud-catalogue';
import type { Network, Subnet } from '@fairway/openstack/types/network';

/** A network in a catalogue. `projectID`: the project that the catalogue is for; undefined if unknown. */
export function catalogueNetwork(network: Network, projectID: string | undefined): CatalogueNetwork {
  const owner = network.project_id || network.tenant_id;
  const isForeign = projectID !== undefined && owner !== undefined && owner !== '' && owner !== projectID;
  return {
    id: network.id,
    name: network.name,
    isExternal: network['router:external'],
    isShared: network.shared,
    ...(isForeign && !network.shared && !network['router:external'] && { isForeign: true }),
    ...(network.port_security_enabled !== undefined && { hasPortSecurity: network.port_security_enabled }),
  };
}

/** A subnet in a catalogue. */
export function catalogueSubnet(subnet: Subnet): CatalogueSubnet {
  return {
    id: subnet.id,
    name: subnet.name,
    networkID: subnet.network_id,
    cidr: subnet.cidr,
    ipVersion: subnet.ip_version,
    gatewayIP: subnet.gateway_ip ?? null,
    allocationPools: subnet.allocation_pools,
  };
}
