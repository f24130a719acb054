import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Port } from '@fairway/openstack/types/network';
import { type NetworkRole, ownedBy, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import type { MachineScope } from './scope.ts';

/** Maximum age of the list of ports, which the machines of a project share. */
const MAX_AGE_MS = 60_000;

function roleOf(scope: MachineScope): NetworkRole {
  return `port-${scope.uid}`;
}

/**
 * Whether the machines of a cluster have ports of Fairway's making. Nova can only be told a network, and in one of the tenant's there may be further
 * subnets, now or later. In Fairway's own network Nova makes the ports, which go with their servers.
 */
export function hasOwnPorts({ spec }: Pick<Cluster, 'spec'>): boolean {
  return spec.network.networkID !== undefined;
}

/**
 * The port for the machine's next server: one that an earlier try has left, or a new one in the nodes' subnet. Ports of servers that are
 * gone are deleted. Throws StillSettling while a create with unknown outcome may still take effect, and the cloud's errors.
 */
export async function ensurePort(
  scope: MachineScope,
  cloud: ProjectCloud,
  cluster: Cluster,
  shape: string,
): Promise<Port> {
  const { networkID = '', subnetID = '', securityGroupID = '' } = cluster.status?.network ?? {};
  const clusterUid = identityOf(cluster);
  const isUsable = ({ device_id, fixed_ips }: Port) =>
    device_id === '' && fixed_ips.some(({ subnet_id }) => subnet_id === subnetID);
  const present = await ownPorts(scope, cloud, clusterUid);
  const free = present.find(isUsable);
  await Promise.all(present.filter((port) => port !== free).map((port) => deletePort(scope, cloud, port)));
  if (free) return free;
  const mark = ownerDescription(clusterUid, roleOf(scope));
  // Without port security a network takes no security groups.
  const isOpen = cloud.cache.networks.snapshot().items.get(networkID)?.port_security_enabled === false;
  const create = () =>
    cloud.client.network.ports.create(
      {
        network_id: networkID,
        name: scope.machine.metadata.name ?? '',
        description: mark,
        fixed_ips: [{ subnet_id: subnetID }],
        ...(!isOpen && { security_groups: [securityGroupID] }),
      },
      { signal: scope.signal },
    );
  return cloud.make(cloud.ledgers.ports, mark, create, shape);
}

/** Records that a server has the port, until the next list shows it. */
export function notePortTaken(scope: MachineScope, cloud: ProjectCloud, port: Port, serverID: string): void {
  const taken = { ...port, device_id: serverID };
  cloud.ledgers.ports.recordMade(port.description ?? '', taken, scope.now());
}

/** Deletes the ports that were made for the machine; Nova deletes only those of its own making. Its servers are gone before. */
export async function removePorts(scope: MachineScope): Promise<void> {
  const { cloud, cluster } = scope;
  if (cloud === undefined || cluster === undefined || !hasOwnPorts(cluster)) return;
  const ports = await ownPorts(scope, cloud, identityOf(cluster));
  await Promise.all(ports.map((port) => deletePort(scope, cloud, port)));
}

async function ownPorts(scope: MachineScope, cloud: ProjectCloud, clusterUid: string): Promise<readonly Port[]> {
  const { cache, client, ledgers } = cloud;
  const projectID = await client.session.projectId();
  const listed = await cache.ports.refreshAfter(cloud.reliableFromMs(ledgers.ports, MAX_AGE_MS));
  const marked = ownedBy([...listed.items.values()], { projectID, clusterUid }, roleOf(scope));
  const mark = ownerDescription(clusterUid, roleOf(scope));
  const state = ledgers.ports.observe(mark, marked, listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettling('port', state.untilMs);
  return state.items;
}

async function deletePort({ signal }: MachineScope, cloud: ProjectCloud, { id }: Port): Promise<void> {
  await cloud.remove(cloud.ledgers.ports, id, () => cloud.client.network.ports.delete(id, { signal }));
}
