import { z } from 'zod';
import { ApiError } from '../http/api.ts';
import type { World } from '../world.ts';
import { deletePort } from './port-lifecycle.ts';
import { badRequest, conflict, networkNotFound } from './problem.ts';
import { deletePolicies, isSharedByPolicy } from './rbac-policies.ts';
import type { Network } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { Description, Flag, Name, ownerAttributes } from './schema.ts';
import { ensureDefaultGroup } from './security-groups.ts';
import { newResource } from './stamp.ts';

const mutable = {
  name: Name.optional(),
  description: Description.nullish(),
  admin_state_up: Flag.optional(),
  shared: Flag.optional(),
  'router:external': Flag.optional(),
  is_default: Flag.optional(),
  mtu: z.int().min(0).optional(),
  port_security_enabled: Flag.optional(),
};

const CreateNetwork = z.strictObject({
  ...mutable,
  ...ownerAttributes,
  availability_zone_hints: z.array(z.string()).optional(),
  'provider:network_type': z.string().optional(),
  'provider:physical_network': z.string().optional(),
  'provider:segmentation_id': z.coerce.number().optional(),
  dns_domain: z.string().optional(),
});
const UpdateNetwork = z.strictObject(mutable);

/** 1500 bytes minus the overhead of Geneve. */
const TENANT_MTU = 1442;
const EXTERNAL_MTU = 1500;

const PROVIDER = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'];

/** Owners of ports that do not block deletion of a network or subnet, like Neutron's AUTO_DELETE_PORT_OWNERS. */
const AUTO_DELETED_OWNERS: readonly string[] = ['network:dhcp', 'network:distributed'];

export function networkKind(world: World): ResourceKind<Network, typeof CreateNetwork, typeof UpdateNetwork> {
  const { networks, subnets, routers } = world.tables;
  return {
    singular: 'network',
    plural: 'networks',
    path: 'networks',
    table: networks,
    createSchema: CreateNetwork,
    updateSchema: UpdateNetwork,
    adminAttributes: ['shared', 'router:external', 'is_default', ...PROVIDER],
    hiddenAttributes: PROVIDER,
    missing: networkNotFound,
    isSharedWith: (access, network) =>
      network.shared || network['router:external'] || isSharedByPolicy(world, network.id, access.projectId),
    create(_access, projectId, body) {
      requireZones(world, body.availability_zone_hints);
      ensureDefaultGroup(world, projectId);
      const isExternal = body['router:external'] ?? false;
      const limit = isExternal ? EXTERNAL_MTU : TENANT_MTU;
      if (body.mtu !== undefined && body.mtu > limit) {
        throw badRequest(`Invalid input for operation: Requested MTU is too big, maximum is ${limit}.`);
      }
      return {
        ...newResource(world, projectId, body.description),
        name: body.name ?? '',
        status: 'ACTIVE',
        admin_state_up: body.admin_state_up ?? true,
        shared: body.shared ?? false,
        'router:external': isExternal,
        is_default: body.is_default ?? false,
        mtu: body.mtu ?? limit,
        port_security_enabled: body.port_security_enabled ?? world.config.portSecurityByDefault ?? true,
        availability_zone_hints: body.availability_zone_hints ?? [],
        'provider:network_type': body['provider:network_type'] ?? (isExternal ? 'flat' : 'geneve'),
        'provider:physical_network': body['provider:physical_network'] ?? (isExternal ? 'external' : null),
        'provider:segmentation_id': body['provider:segmentation_id'] ?? (isExternal ? null : segmentFor(world)),
      };
    },
    update(_access, network, body) {
      if (
        body['router:external'] === false &&
        routers.find((r) => r.external_gateway_info?.network_id === network.id)
      ) {
        throw conflict(
          'ExternalNetworkInUse',
          `External network ${network.id} cannot be updated to be made non-external, since it has existing gateway ports.`,
        );
      }
      return {
        ...network,
        name: body.name ?? network.name,
        description: body.description ?? network.description,
        admin_state_up: body.admin_state_up ?? network.admin_state_up,
        shared: body.shared ?? network.shared,
        'router:external': body['router:external'] ?? network['router:external'],
        is_default: body.is_default ?? network.is_default,
        mtu: body.mtu ?? network.mtu,
        port_security_enabled: body.port_security_enabled ?? network.port_security_enabled,
      };
    },
    remove(_access, network) {
      const attached = world.indexes.portsByNetwork.of(network.id);
      const blockingPorts = attached.filter((port) => !AUTO_DELETED_OWNERS.includes(port.device_owner));
      if (blockingPorts.length > 0) {
        const ids = blockingPorts.map((port) => port.id).join(',');
        throw conflict(
          'NetworkInUse',
          `Unable to complete operation on network ${network.id}. There are one or more ports still in use on the network, id for these ports is: ${ids}.`,
        );
      }
      for (const port of attached) deletePort(world, port);
      for (const subnet of world.indexes.subnetsByNetwork.of(network.id)) subnets.delete(subnet.id);
      deletePolicies(world, network.id);
    },
    derive: (network, access) => ({
      shared: network.shared || isSharedByPolicy(world, network.id, access.projectId),
      subnets: world.indexes.subnetsByNetwork.of(network.id).map((subnet) => subnet.id),
      availability_zones:
        world.indexes.subnetsByNetwork.of(network.id).length === 0 ? [] : world.config.zones.map((zone) => zone.name),
      ipv4_address_scope: null,
      ipv6_address_scope: null,
    }),
  };
}

/** A segment ID that no other network uses. */
function segmentFor(world: World): number {
  const used = new Set([...world.tables.networks.values()].map((network) => network['provider:segmentation_id']));
  let id = 1;
  while (used.has(id)) id++;
  return id;
}

function requireZones({ config }: World, hints: readonly string[] = []): void {
  const unknown = hints.filter((hint) => !config.zones.some(({ name }) => name === hint));
  if (unknown.length === 0) return;
  throw new ApiError(404, `AvailabilityZone ${unknown.join(', ')} could not be found.`, {
    type: 'AvailabilityZoneNotFound',
  });
}
