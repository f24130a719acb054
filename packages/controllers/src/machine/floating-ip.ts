import { identityOf } from '@fairway/api/identity';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { FloatingIp } from '@fairway/openstack/types/network';
import type { Server } from '@fairway/openstack/types/server';
import { type NetworkRole, ownedBy, ownerDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { MachineScope } from './scope.ts';

/** Maximum age of the floating IP list for a server without one. What this process has created is in its ledger. */
const MAX_AGE_MS = 60_000;
/**
 * The maximum age for a machine that should have no floating IP, so that changes by others are detected before the next
 * attempt.
 */
const EXTRA_IP_MAX_AGE_MS = 600_000;

function roleOf(scope: MachineScope): NetworkRole {
  return `floating-ip-${scope.uid}`;
}

/** Associates a floating IP with an ACTIVE server if its machine requires one; otherwise removes it. */
export async function ensureFloatingIp(scope: MachineScope, server: Server): Promise<void> {
  const { machine, cloud, cluster } = scope;
  if (cloud === undefined || cluster === undefined || hasDesiredAddress(scope, server)) return;
  if (!machine.spec.floatingIP) {
    await removeFloatingIps(scope);
    return;
  }
  const externalNetworkID = cluster.status?.network?.externalNetworkID;
  if (externalNetworkID === undefined) return;
  const [own, ...extra] = await ownFloatingIps(scope, cloud);
  await Promise.all(extra.map((floatingIp) => deleteFloatingIp(cloud, floatingIp, scope)));
  if (own?.port_id) return;
  const { floatingIps } = cloud.client.network;
  const options = { signal: scope.signal };
  const owner = ownerDescription(identityOf(cluster), roleOf(scope));
  const attach = async () => {
    const port = await portOf(cloud, server, cluster.status?.network?.networkID, options);
    const desired = { floating_network_id: externalNetworkID, port_id: port, description: owner };
    return own ? floatingIps.update(own.id, { port_id: port }, options) : floatingIps.create(desired, options);
  };
  try {
    await cloud.make(cloud.ledgers.floatingIps, owner, attach, identityOf(cluster));
  } catch (error) {
    // The port has a floating IP that the list does not contain yet.
    if (isOpenStackError(error, 'conflict')) cloud.cache.floatingIps.invalidate();
    throw error;
  }
}

/** Whether the listed server has a floating IP if and only if its machine requires one. */
export function hasDesiredAddress({ machine, cluster }: MachineScope, server: Server): boolean {
  const hasFloatingIp = Object.values(server.addresses)
    .flat()
    .some((address) => address['OS-EXT-IPS:type'] === 'floating');
  // Without Internet access, no floating IP is expected.
  const isPossible = cluster?.status?.network?.externalNetworkID !== undefined;
  return hasFloatingIp === (machine.spec.floatingIP && isPossible);
}

/** Deletes the machine's floating IPs. */
export async function removeFloatingIps(scope: MachineScope): Promise<void> {
  const { cloud } = scope;
  if (cloud === undefined) return;
  const own = await ownFloatingIps(scope, cloud);
  await Promise.all(own.map((floatingIp) => deleteFloatingIp(cloud, floatingIp, scope)));
}

/**
 * The machine's floating IPs. Throws StillSettling while a create request with unknown outcome may still take effect.
 */
async function ownFloatingIps(scope: MachineScope, cloud: ProjectCloud): Promise<readonly FloatingIp[]> {
  const clusterUid = scope.cluster ? identityOf(scope.cluster) : '';
  const projectID = await cloud.client.session.projectId();
  const { cache, ledgers } = cloud;
  const maxAgeMs = scope.machine.spec.floatingIP ? MAX_AGE_MS : EXTRA_IP_MAX_AGE_MS;
  const listed = await cache.floatingIps.refreshAfter(cloud.reliableFromMs(ledgers.floatingIps, maxAgeMs));
  const marked = ownedBy([...listed.items.values()], { projectID, clusterUid }, roleOf(scope));
  const owner = ownerDescription(clusterUid, roleOf(scope));
  const state = ledgers.floatingIps.observe(owner, marked, listed.listedAtMs ?? 0);
  if (state.kind === 'settling') throw new StillSettlingError('floating IP', state.untilMs);
  return state.items;
}

async function deleteFloatingIp(cloud: ProjectCloud, { id }: FloatingIp, { signal }: MachineScope): Promise<void> {
  await cloud.remove(cloud.ledgers.floatingIps, id, () => cloud.client.network.floatingIps.delete(id, { signal }));
}

/** The server's port in the node network. Rejects with a ProblemError if it has none. */
async function portOf(
  cloud: ProjectCloud,
  server: Server,
  networkID: string | undefined,
  options: CallOptions,
): Promise<string> {
  for await (const port of cloud.client.network.ports.list({ device_id: server.id }, options)) {
    if (port.network_id === networkID) return port.id;
  }
  const message = `server ${server.id} has no port for a floating IP in the node network; delete the machine to have it replaced`;
  throw new ProblemError({ reason: 'ServerFailed', message });
}
