import { z } from 'zod';
import { ApiError } from '../http/api.ts';
import { pythonRepr } from '../http/parse-body.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { parseCidr } from './cidr.ts';
import { allocate, type FixedIpRequest } from './ipam.ts';
import { detachFloatingIps } from './port-lifecycle.ts';
import { badRequest, conflict, groupNotFound, networkNotFound, portNotFound, refusalError } from './problem.ts';
import { isSharedByPolicy } from './rbac-policies.ts';
import type { AddressPair, Network, Port } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { Description, Flag, IpText, MacText, Name, ownerAttributes, Uuid } from './schema.ts';
import { ensureDefaultGroup } from './security-groups.ts';
import { newResource } from './stamp.ts';

const mutable = {
  name: Name.optional(),
  description: Description.nullish(),
  admin_state_up: Flag.optional(),
  fixed_ips: z.array(z.strictObject({ subnet_id: Uuid.optional(), ip_address: IpText.optional() })).optional(),
  device_id: z.string().max(255).nullish(),
  device_owner: z.string().max(255).nullish(),
  security_groups: z.array(Uuid).nullish(),
  allowed_address_pairs: z
    .array(
      z.strictObject({
        ip_address: z.string(),
        mac_address: MacText.optional(),
      }),
    )
    .optional(),
  port_security_enabled: Flag.optional(),
  'binding:vnic_type': z.string().optional(),
  'binding:host_id': z.string().nullish(),
  'binding:profile': z.record(z.string(), z.unknown()).nullish(),
  extra_dhcp_opts: z.array(z.unknown()).nullish(),
  dns_name: z.string().optional(),
  mac_address: MacText.optional(),
};

/** Tags are accepted but dropped, as in Neutron without ML2's tag_ports_during_bulk_creation. */
const CreatePort = z.strictObject({
  ...mutable,
  ...ownerAttributes,
  network_id: Uuid,
  tags: z.array(z.string()).optional(),
});
const UpdatePort = z.strictObject(mutable);

export interface NewPort {
  readonly network: Network;
  readonly projectId: string;
  readonly fixedIps?: readonly FixedIpRequest[] | undefined;
  readonly mac?: string | undefined;
  readonly fields?: Partial<Port> | undefined;
}

/** A new port with its addresses, for the API, Nova and routers. The caller must add it to the table. */
export function newPort(world: World, { network, projectId, fixedIps, mac, fields }: NewPort): Port {
  const mac_address = mac?.toLowerCase() ?? unusedMac(world);
  if (
    mac !== undefined &&
    world.tables.ports.find((p) => p.network_id === network.id && p.mac_address === mac_address)
  ) {
    throw conflict(
      'MacAddressInUse',
      `Unable to complete operation for network ${network.id}. The mac address ${mac_address} is in use.`,
    );
  }
  return {
    ...newResource(world, projectId, ''),
    name: '',
    network_id: network.id,
    mac_address,
    status: 'DOWN',
    admin_state_up: true,
    device_id: '',
    device_owner: '',
    fixed_ips: allocate(world, network, mac_address, fixedIps, {
      isRouterPort: fields?.device_owner?.startsWith('network:router_') === true,
    }),
    security_groups: [],
    allowed_address_pairs: [],
    port_security_enabled: network.port_security_enabled,
    'binding:vnic_type': 'normal',
    'binding:host_id': '',
    'binding:profile': {},
    ...fields,
  };
}

function unusedMac(world: World): string {
  const used = new Set([...world.tables.ports.values()].map((port) => port.mac_address));
  let mac = world.ids.mac();
  while (used.has(mac)) mac = world.ids.mac();
  return mac;
}

const SERVICE_OWNERS: readonly string[] = ['network:router_interface', 'network:router_gateway', 'network:floatingip'];

export function portKind(world: World): ResourceKind<Port, typeof CreatePort, typeof UpdatePort> {
  const { networks, ports } = world.tables;
  return {
    singular: 'port',
    plural: 'ports',
    path: 'ports',
    table: ports,
    createSchema: CreatePort,
    updateSchema: UpdatePort,
    adminAttributes: ['binding:host_id', 'binding:profile'],
    hiddenAttributes: ['binding:host_id', 'binding:profile', 'binding:vif_type', 'binding:vif_details'],
    missing: portNotFound,
    isSharedWith: (access, port) => {
      const network = networks.get(port.network_id);
      return network !== undefined && network.project_id === access.projectId && access.projectId !== '';
    },
    create(access, projectId, body) {
      const network = findUsableNetwork(world, access, body.network_id);
      const hasSecurity = body.port_security_enabled ?? network.port_security_enabled;
      const isService = (body.device_owner ?? '').startsWith('network:');
      const usesDefaultGroup = hasSecurity && !isService && body.security_groups == null;
      const groups = usesDefaultGroup ? [ensureDefaultGroup(world, projectId).id] : (body.security_groups ?? []);
      requirePortSecurity(hasSecurity, body.security_groups);
      checkSecurity(world, access, projectId, hasSecurity, groups, body.allowed_address_pairs ?? []);
      const port = newPort(world, { network, projectId, fixedIps: body.fixed_ips, mac: body.mac_address });
      return {
        ...port,
        name: body.name ?? '',
        description: body.description ?? '',
        admin_state_up: body.admin_state_up ?? true,
        device_id: body.device_id ?? '',
        device_owner: body.device_owner ?? '',
        security_groups: groups,
        allowed_address_pairs: pairsOf(body.allowed_address_pairs, port.mac_address),
        port_security_enabled: hasSecurity,
        'binding:vnic_type': body['binding:vnic_type'] ?? 'normal',
        'binding:host_id': body['binding:host_id'] ?? '',
        'binding:profile': body['binding:profile'] ?? {},
      };
    },
    update(access, port, body) {
      const network = networks.get(port.network_id);
      if (network === undefined) throw networkNotFound(port.network_id);
      const hasSecurity = body.port_security_enabled ?? port.port_security_enabled;
      const groups = body.security_groups === undefined ? port.security_groups : (body.security_groups ?? []);
      const pairs =
        body.allowed_address_pairs === undefined
          ? port.allowed_address_pairs
          : pairsOf(body.allowed_address_pairs, port.mac_address);
      requirePortSecurity(hasSecurity, body.security_groups);
      checkSecurity(world, access, port.project_id, hasSecurity, groups, pairs);
      const mac = body.mac_address?.toLowerCase() ?? port.mac_address;
      return {
        ...port,
        name: body.name ?? port.name,
        description: body.description ?? port.description,
        admin_state_up: body.admin_state_up ?? port.admin_state_up,
        device_id: body.device_id ?? port.device_id,
        device_owner: body.device_owner ?? port.device_owner,
        mac_address: mac,
        fixed_ips:
          body.fixed_ips === undefined
            ? port.fixed_ips
            : allocate(world, network, mac, body.fixed_ips, { portId: port.id }),
        security_groups: groups,
        allowed_address_pairs: pairs,
        port_security_enabled: hasSecurity,
        'binding:host_id': body['binding:host_id'] ?? port['binding:host_id'],
        'binding:profile': body['binding:profile'] ?? port['binding:profile'],
        'binding:vnic_type': body['binding:vnic_type'] ?? port['binding:vnic_type'],
      };
    },
    remove(_access, port) {
      if (SERVICE_OWNERS.includes(port.device_owner)) {
        throw conflict(
          'ServicePortInUse',
          `Port ${port.id} cannot be deleted directly via the port API: has device owner ${port.device_owner}.`,
        );
      }
      detachFloatingIps(world, port.id);
    },
    derive: (port) => ({
      'binding:vif_type': port['binding:host_id'] === '' ? 'unbound' : 'ovs',
      'binding:vif_details': port['binding:host_id'] === '' ? {} : { port_filter: true, connectivity: 'l2' },
      extra_dhcp_opts: [],
      dns_name: '',
      dns_assignment: [],
    }),
    extraFilters: ['ip_allocation'],
  };
}

function findUsableNetwork(world: World, access: Access, id: string): Network {
  const network = world.tables.networks.get(id);
  const isShared = network?.shared === true || isSharedByPolicy(world, id, access.projectId);
  const isUsable =
    network !== undefined &&
    (isAdmin(access) || network.project_id === access.projectId || isShared || network['router:external']);
  if (!isUsable) throw networkNotFound(id);
  if (!isAdmin(access) && network.project_id !== access.projectId && !isShared) {
    throw new ApiError(403, `Tenant ${access.projectId} not allowed to create port on this network`, {
      type: 'HTTPForbidden',
    });
  }
  return network;
}

/** Checks the groups of a request; the port's existing groups are not checked. */
function requirePortSecurity(hasSecurity: boolean, groups: readonly string[] | null | undefined): void {
  const [duplicate] = (groups ?? []).filter((id, index, all) => all.indexOf(id) !== index);
  if (duplicate !== undefined) {
    throw badRequest(`Invalid input for security_groups. Reason: Duplicate items in the list: '${duplicate}'.`);
  }
  if (hasSecurity || (groups ?? []).length === 0) return;
  throw refusalError(
    'PortSecurityAndIPRequiredForSecurityGroups',
    'Port security must be enabled and port must have an IP address in order to use security groups.',
  );
}

function checkSecurity(
  world: World,
  access: Access,
  projectId: string,
  hasSecurity: boolean,
  groups: readonly string[],
  pairs: readonly { readonly ip_address: string }[],
): void {
  for (const id of groups) {
    const group = world.tables.securityGroups.get(id);
    const isUsable = group?.project_id === projectId || isSharedByPolicy(world, id, projectId) || isAdmin(access);
    if (group === undefined || !isUsable) throw groupNotFound(id);
  }
  if (hasSecurity) return;
  if (groups.length > 0) {
    throw conflict(
      'PortSecurityPortHasSecurityGroup',
      'Port has security group associated. Cannot disable port security or IP address until security group is removed.',
    );
  }
  if (pairs.length > 0) {
    throw conflict(
      'AddressPairAndPortSecurityRequired',
      'Port Security must be enabled in order to have allowed address pairs on a port.',
    );
  }
}

function pairsOf(
  pairs: readonly { readonly ip_address: string; readonly mac_address?: string | undefined }[] | undefined,
  mac: string,
): AddressPair[] {
  const seen = new Set<string>();
  return (pairs ?? []).map(({ ip_address, mac_address = mac }) => {
    if (parseCidr(ip_address) === undefined) throw badRequest(`${pythonRepr(ip_address)} is not a valid IP address`);
    const key = `${ip_address} ${mac_address}`;
    if (seen.has(key))
      throw badRequest(`Request contains duplicate address pair: mac_address ${mac_address} ip_address ${ip_address}.`);
    seen.add(key);
    return { ip_address, mac_address };
  });
}
