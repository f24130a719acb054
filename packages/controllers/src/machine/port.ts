import { ConditionReason } from '@fairway/api/conditions';
import { clusterRanges } from '@fairway/api/domain/pool-network-ranges';
import type { FoundNetwork } from '@fairway/api/domain/pool-networks';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { AdditionalInterface } from '@fairway/control-plane/bootstrap/additional-interfaces';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Port } from '@fairway/openstack/types/network';
import { catalogueSubnet } from '@fairway/tenancy/cloud/catalogue-network';
import { type NetworkRole, ownedBy, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import type { Problem } from '@fairway/tenancy/problem';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { interfacesOf } from '../additional-networks.ts';
import type { MachineScope } from './scope.ts';

/** Maximum age of the list of ports, which a project's machines share. */
const MAX_AGE_MS = 60_000;
/** The maximum age for networks and subnets of a server that is reinstalled. */
const LISTS_MAX_AGE_MS = 600_000;

/** The location of a port, and how to find it again. */
interface PortTarget {
  readonly role: NetworkRole;
  readonly networkID: string;
  readonly subnetID: string;
}

/** The desired port. */
interface PortSettings {
  /** The server shape that it is for: see `shapeOf`. */
  readonly shape: string;
  readonly securityGroupIDs: readonly string[];
}

function nodeNetworkRole(scope: MachineScope): NetworkRole {
  return `port-${scope.uid}`;
}

/** One role for each network: the outcome for a port in one network says nothing about another. */
function additionalRole(scope: MachineScope, networkID: string): NetworkRole {
  return `port-${scope.uid}/${networkID}`;
}

/**
 * Whether Fairway creates the ports of a cluster's machines. Nova accepts only a network, not a subnet, and a tenant's
 * network may have additional subnets, now or later. In Fairway's own network Nova creates the ports, and deletes them
 * with their servers.
 */
export function hasOwnPorts({ spec }: Pick<Cluster, 'spec'>): boolean {
  return spec.network.networkID !== undefined;
}

/**
 * The port for the machine's next server: one that an earlier attempt created, or a new one in the nodes' subnet. Ports of deleted servers
 * are deleted. Throws StillSettling while a create with unknown outcome may still take effect, and the cloud's errors.
 */
export async function ensurePort(
  scope: MachineScope,
  cloud: ProjectCloud,
  cluster: Cluster,
  settings: PortSettings,
): Promise<Port> {
  const { networkID = '', subnetID = '' } = cluster.status?.network ?? {};
  return ensurePortIn(scope, cloud, cluster, { role: nodeNetworkRole(scope), networkID, subnetID }, settings);
}

/**
 * Like `ensurePort`, for each of the machine's additional networks, in their order. Fairway creates all of these ports,
 * regardless of the network that the nodes are in.
 */
export async function ensureAdditionalPorts(
  scope: MachineScope,
  cloud: ProjectCloud,
  cluster: Cluster,
  networks: readonly FoundNetwork[],
  settings: PortSettings,
): Promise<readonly Port[]> {
  const ports: Port[] = [];
  for (const network of networks) {
    const place = { role: additionalRole(scope, network.networkID), ...network };
    ports.push(await ensurePortIn(scope, cloud, cluster, place, settings));
  }
  return ports;
}

async function ensurePortIn(
  scope: MachineScope,
  cloud: ProjectCloud,
  cluster: Cluster,
  { role, networkID, subnetID }: PortTarget,
  { shape, securityGroupIDs }: PortSettings,
): Promise<Port> {
  const clusterUid = identityOf(cluster);
  // An earlier attempt may have used different security groups.
  const isUsable = ({ device_id, fixed_ips, security_groups }: Port) =>
    device_id === '' &&
    fixed_ips.some(({ subnet_id }) => subnet_id === subnetID) &&
    securityGroupIDs.every((id) => security_groups.includes(id));
  const present = await ownPorts(cloud, clusterUid, role);
  const freePort = present.find(isUsable);
  await Promise.all(present.filter((port) => port !== freePort).map((port) => deletePort(scope, cloud, port)));
  if (freePort) return freePort;
  const mark = ownerDescription(clusterUid, role);
  // Admission rejects such networks. If port security was disabled later, the nodes must not be left unprotected.
  const isOpen = cloud.cache.networks.snapshot().items.get(networkID)?.port_security_enabled === false;
  const create = () =>
    cloud.client.network.ports.create(
      {
        network_id: networkID,
        name: scope.machine.metadata.name ?? '',
        description: mark,
        fixed_ips: [{ subnet_id: subnetID }],
        ...(isOpen && { port_security_enabled: true }),
        security_groups: [...securityGroupIDs],
      },
      { signal: scope.signal },
    );
  try {
    return await cloud.make(cloud.ledgers.ports, mark, create, shape);
  } catch (error) {
    if (isOpen && isOpenStackError(error, 'forbidden')) throw new ProblemError(openNetwork(networkID));
    throw error;
  }
}

/**
 * The problem with a network without port security: only its owner may create ports with a port security
 * setting that differs from the network's.
 */
function openNetwork(networkID: string): Problem {
  const message = `network ${networkID} has port security disabled, so no security group would protect the node; its owner must enable it: openstack network set --enable-port-security ${networkID}`;
  return { reason: ConditionReason.SettingsNotEnforced, message };
}

/** Records that a server has the port, until the next list contains it. */
export function recordPortTaken(scope: MachineScope, cloud: ProjectCloud, port: Port, serverID: string): void {
  const attachedPort = { ...port, device_id: serverID };
  cloud.ledgers.ports.recordWritten(port.description ?? '', attachedPort, scope.now());
}

/**
 * Deletes the ports that were created for the machine; Nova deletes only those that it created. Call this after its
 * servers are deleted.
 */
export async function removePorts(scope: MachineScope): Promise<void> {
  const { cloud, cluster } = scope;
  if (cloud === undefined || cluster === undefined) return;
  const roles = [...(hasOwnPorts(cluster) ? [nodeNetworkRole(scope)] : []), ...additionalRoles(scope)];
  for (const role of roles) {
    const ports = await ownPorts(cloud, identityOf(cluster), role);
    await Promise.all(ports.map((port) => deletePort(scope, cloud, port)));
  }
}

function additionalRoles(scope: MachineScope): readonly NetworkRole[] {
  return (scope.machine.spec.networks ?? []).map(({ networkID }) => additionalRole(scope, networkID));
}

/** What a node needs to know about its ports in additional networks. */
export function additionalInterfaces(
  { cluster, plan }: MachineScope,
  cloud: ProjectCloud,
  ports: readonly Port[],
): readonly AdditionalInterface[] {
  if (ports.length === 0) return [];
  const subnets = [...cloud.cache.subnets.snapshot().items.values()].map(catalogueSubnet);
  return interfacesOf(cloud, ports, clusterRanges(cluster, plan?.spec, subnets));
}

/** The same for an existing server. Rejects with the cloud's error. */
export async function attachedInterfaces(
  scope: MachineScope,
  cloud: ProjectCloud,
  cluster: Cluster,
  serverID: string,
): Promise<readonly AdditionalInterface[]> {
  const attached: Port[] = [];
  for (const role of additionalRoles(scope)) {
    const ports = await ownPorts(cloud, identityOf(cluster), role);
    attached.push(...ports.filter(({ device_id }) => device_id === serverID));
  }
  if (attached.length === 0) return [];
  const sinceMs = cloud.now() - LISTS_MAX_AGE_MS;
  await Promise.all([cloud.cache.networks.refreshAfter(sinceMs), cloud.cache.subnets.refreshAfter(sinceMs)]);
  return additionalInterfaces(scope, cloud, attached);
}

async function ownPorts(cloud: ProjectCloud, clusterUid: string, role: NetworkRole): Promise<readonly Port[]> {
  const { cache, client, ledgers } = cloud;
  const projectID = await client.session.projectId();
  const listed = await cache.ports.refreshAfter(cloud.reliableFromMs(ledgers.ports, MAX_AGE_MS));
  const marked = ownedBy([...listed.items.values()], { projectID, clusterUid }, role);
  const mark = ownerDescription(clusterUid, role);
  const state = ledgers.ports.observe(mark, marked, listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError('port', state.untilMs);
  return state.items;
}

async function deletePort({ signal }: MachineScope, cloud: ProjectCloud, { id }: Port): Promise<void> {
  await cloud.remove(cloud.ledgers.ports, id, () => cloud.client.network.ports.delete(id, { signal }));
}
