import { type Access, isAdmin } from '../identity/access.ts';
import { deletePort, patchPort } from '../network/port-lifecycle.ts';
import { newPort } from '../network/ports.ts';
import { networkLimits } from '../network/quota.ts';
import { isSharedByPolicy } from '../network/rbac-policies.ts';
import type { Network, Port } from '../network/records.ts';
import { ensureDefaultGroup } from '../network/security-groups.ts';
import type { World } from '../world.ts';
import { badRequest, conflict, forbidden } from './problem.ts';
import type { NetworkRequest, Server } from './records.ts';
import { zoneOfHost } from './scheduler.ts';

/** Checks with Neutron before Nova accepts a server: networks, ports and their quota. */
export function validateNetworks(
  world: World,
  access: Access,
  requests: readonly NetworkRequest[],
  servers: number,
): void {
  const { networks, ports } = world.tables;
  let portsNeeded = 0;
  for (const { networkId, portId, fixedIp } of requests) {
    if (portId !== undefined) {
      const port = ports.get(portId);
      if (port === undefined || !isOwn(access, port)) throw badRequest(`Port id ${portId} could not be found.`);
      if (port.device_id !== '') throw conflict(`Port ${portId} is still in use.`);
      if (servers > 1) {
        throw badRequest(
          'Failed to launch multiple instances with a single port ID. Please launch your instance one by one with different ports.',
        );
      }
      continue;
    }
    const network = networks.get(networkId ?? '');
    if (network === undefined || !isUsable(access, network))
      throw badRequest(`Network ${networkId} could not be found.`);
    if (network['router:external'] && !network.shared && !isAdmin(access)) {
      throw forbidden(`It is not allowed to create an interface on external network ${network.id}`);
    }
    if (world.indexes.subnetsByNetwork.of(network.id).length === 0) {
      throw badRequest(`Network ${network.id} requires a subnet in order to boot instances on.`);
    }
    if (
      fixedIp !== undefined &&
      ports.find((p) => p.network_id === network.id && p.fixed_ips.some((ip) => ip.ip_address === fixedIp))
    ) {
      throw badRequest(`Fixed IP address ${fixedIp} is already in use on instance ${network.id}.`);
    }
    portsNeeded += servers;
  }
  const limit = networkLimits(world, access.projectId)['port'] ?? -1;
  const used = ports.where((port) => port.project_id === access.projectId).length;
  if (limit >= 0 && used + portsNeeded > limit && portsNeeded > 0) throw forbidden('Maximum number of ports exceeded');
}

/** The only network available to the project, which Nova uses by default. Throws if there are several. */
export function onlyNetwork(world: World, access: Access): NetworkRequest[] {
  const own = world.tables.networks.where(
    (n) => (n.project_id === access.projectId && !n['router:external']) || n.shared,
  );
  if (own.length > 1) {
    throw conflict('Multiple possible networks found, use a Network ID to be more specific.');
  }
  return own.map((network) => ({ networkId: network.id }));
}

/**
 * IDs of the security groups specified by name or ID. A group shared by another project is accepted, but is not found
 * when the ports are created.
 */
export function resolveGroups(world: World, access: Access, names: readonly string[]): string[] {
  if (names.length > 0) ensureDefaultGroup(world, access.projectId);
  return names.map((name) => {
    const own = world.tables.securityGroups.where((group) => group.project_id === access.projectId);
    const byId = world.tables.securityGroups.get(name);
    if (byId?.project_id === access.projectId || isSharedByPolicy(world, name, access.projectId)) return name;
    const [group, ...others] = own.filter((candidate) => candidate.name === name);
    if (others.length > 0) {
      throw conflict(`Multiple security groups found matching '${name}'. Use an ID to be more specific.`);
    }
    if (group === undefined) throw badRequest(`Security group ${name} not found for project ${access.projectId}.`);
    return group.id;
  });
}

export function portsOf(world: World, serverId: string): Port[] {
  return world.indexes.portsByDevice.of(serverId);
}

/** Creates or binds the ports of a scheduled server. */
export function allocatePorts(world: World, server: Server): void {
  for (const request of server.networks) attachPort(world, server, request);
}

export function attachPort(world: World, server: Server, { networkId, portId, fixedIp }: NetworkRequest): Port {
  const { networks, ports } = world.tables;
  const binding = {
    device_id: server.id,
    device_owner: `compute:${zoneOfHost(world, server.host ?? '') ?? 'nova'}`,
    'binding:host_id': server.host ?? '',
  };
  if (portId !== undefined) {
    const port = ports.get(portId);
    if (port === undefined || port.device_id !== '') throw new Error(`Port ${portId} is gone or in use.`);
    return patchPort(world, port, binding);
  }
  const network = networks.get(networkId ?? '');
  if (network === undefined) throw new Error(`Network ${networkId} could not be found.`);
  if (server.securityGroups.length > 0 && !network.port_security_enabled) {
    throw new Error('Network requires port_security_enabled and subnet associated in order to apply security groups.');
  }
  for (const id of server.securityGroups) {
    const owner = world.tables.securityGroups.get(id)?.project_id;
    if (owner !== server.projectId) throw new Error(`Security group ${id} not found.`);
  }
  const groups =
    server.securityGroups.length > 0 ? server.securityGroups : [ensureDefaultGroup(world, server.projectId).id];
  return ports.put(
    newPort(world, {
      network,
      projectId: server.projectId,
      fixedIps: fixedIp === undefined ? undefined : [{ ip_address: fixedIp }],
      fields: { ...binding, security_groups: network.port_security_enabled ? groups : [], isServersOwn: true },
    }),
  );
}

/** Marks the ports ACTIVE once the interfaces are plugged. */
export function plugPorts(world: World, server: Server): void {
  for (const port of portsOf(world, server.id)) patchPort(world, port, { status: 'ACTIVE' });
}

/** Deletes the ports that Nova created and unbinds the others. */
export function releasePorts(world: World, server: Server): void {
  for (const port of portsOf(world, server.id)) releasePort(world, port);
}

export function releasePort(world: World, port: Port): void {
  if (port.isServersOwn === true) deletePort(world, port);
  else patchPort(world, port, { device_id: '', device_owner: '', 'binding:host_id': '', status: 'DOWN' });
}

function isOwn(access: Access, port: Port): boolean {
  return isAdmin(access) || port.project_id === access.projectId;
}

function isUsable(access: Access, network: Network): boolean {
  return isAdmin(access) || network.project_id === access.projectId || network.shared || network['router:external'];
}
