import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { isHardAntiAffinity } from '@fairway/api/kinds/pool-bounds';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { serverFaultKind } from '@fairway/openstack/compute/server-fault';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Server } from '@fairway/openstack/types/server';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud, ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import { removeServer } from '@fairway/tenancy/cloud/server-removal';
import type { Problem } from '@fairway/tenancy/problem';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { lookUpNetworks } from '../additional-networks.ts';
import { securityGroupsForServers } from '../security-groups/pool-security-groups.ts';
import { recordOf, requestedLabels, type ServerLabels, unionOf } from '../server-labels/server-labels.ts';
import { writeStatus } from '../status-writer.ts';
import { additionalInterfaces, ensureAdditionalPorts, ensurePort, hasOwnPorts, recordPortTaken } from './port.ts';
import { recordRootVolume, removeRootVolume } from './root-volume.ts';
import type { MachineScope } from './scope.ts';
import { shapeOf } from './server-builds.ts';
import { serverRequest } from './server-request.ts';

/** If DHCP is disabled after the nodes were created, new nodes reflect it within this time. */
const SUBNETS_MAX_AGE_MS = 60_000;

/**
 * Creates the machine's server. Returns the problem that the user must fix first, if any; rejects with the cloud's or
 * the tenant's error, also while backing off.
 */
export async function createServer(scope: MachineScope): Promise<Problem | undefined> {
  const { machine, cluster, pool, cloud } = scope;
  const { networkID, securityGroupID } = cluster?.status?.network ?? {};
  if (!cluster || !pool || !cloud || networkID === undefined || securityGroupID === undefined) {
    return { reason: ConditionReason.WaitingForNetwork, message: 'the network of the cluster is not ready yet' };
  }
  const flavor = await flavorOf(scope);
  if (flavor === undefined) {
    return {
      reason: ConditionReason.FlavorNotFound,
      message: `the cloud no longer has flavor ${machine.spec.flavor}; set spec.flavor of the pool to one from \`openstack flavor list\``,
    };
  }
  const groups = securityGroupsForServers(pool);
  if (groups.problem) return groups.problem;
  const securityGroupIDs = [securityGroupID, ...groups.groupIDs];
  const sinceMs = cloud.now() - SUBNETS_MAX_AGE_MS;
  const additional = await lookUpNetworks(machine.spec.networks, {
    cloud,
    cluster,
    plan: scope.plan,
    since: { networksMs: sinceMs, subnetsMs: sinceMs },
    signal: scope.signal,
  });
  // Done before anything is created for the server, so that a failure leaves nothing behind.
  if (additional.problem) return additional.problem;
  const { attempts, bootstrapper, builds } = scope.dependencies;
  const clusterUid = identityOf(cluster);
  const shape = shapeOf(machine, pool);
  const labels = requestedLabels(pool);
  await recordLabels(scope, labels);
  const build = builds.begin(scope.uid, shape, lastFault(machine));
  try {
    const { servers } = cloud.client.compute;
    const create = async () => {
      await removeRootVolume(scope, Number.NEGATIVE_INFINITY);
      const form = { shape, securityGroupIDs };
      const port = hasOwnPorts(cluster) ? await ensurePort(scope, cloud, cluster, form) : undefined;
      const additionalPorts = await ensureAdditionalPorts(scope, cloud, cluster, additional.found, form);
      const interfaces = additionalInterfaces(scope, cloud, additionalPorts);
      const userData = await attempts.withBackoff({ kind: 'bootstrap token', item: clusterUid }, () =>
        bootstrapper.userData(cluster, pool, machine, flavor, interfaces),
      );
      const { server, hints } = serverRequest(machine, {
        clusterUid,
        clusterName: cluster.metadata.name ?? '',
        flavorID: flavor.id,
        configDrive: cloud.configDrive || !(await hasDhcp(cloud, cluster)),
        labels,
        networking: port ? { portID: port.id } : { networkID, securityGroupIDs },
        additionalPortIDs: additionalPorts.map(({ id }) => id),
        userData,
      });
      const created = await servers.create(server, { signal: scope.signal, ...(hints && { hints }) });
      for (const each of port ? [port, ...additionalPorts] : additionalPorts)
        recordPortTaken(scope, cloud, each, created.id);
      return { id: created.id };
    };
    await cloud.make<ServerRef>(cloud.ledgers.servers, machineTag(scope.uid), create, shape);
    return undefined;
  } catch (error) {
    build.release();
    // A resource that the server needs may have been deleted: the responsible controller lists again.
    if (isOpenStackError(error, 'badRequest') || isOpenStackError(error, 'notFound')) {
      const { networks, subnets, securityGroups, ports, serverGroups } = cloud.cache;
      for (const cache of [networks, subnets, securityGroups, ports, serverGroups]) cache.invalidate();
    }
    // The port is still attached to a server that is being deleted.
    if (isOpenStackError(error, 'conflict')) cloud.cache.ports.invalidate();
    throw error;
  }
}

/**
 * Records the labels before the server has them, so that they can be removed from it regardless of what happens in
 * between.
 */
async function recordLabels({ machine, dependencies }: MachineScope, labels: ServerLabels): Promise<void> {
  const hasNoLabels = labels.tags.length === 0 && Object.keys(labels.metadata).length === 0;
  if (hasNoLabels && machine.status?.appliedServerLabels === undefined) return;
  const appliedServerLabels = unionOf(machine.status?.appliedServerLabels, recordOf(labels));
  await writeStatus(dependencies.client.resource(machines), machine, { ...machine.status, appliedServerLabels });
}

/**
 * Whether the nodes' subnet has DHCP. Fairway's own subnets do, and a tenant's subnet that is not listed is assumed to
 * have it.
 */
async function hasDhcp(cloud: ProjectCloud, { spec, status }: Cluster): Promise<boolean> {
  if (spec.network.networkID === undefined) return true;
  const { items } = await cloud.cache.subnets.refreshAfter(cloud.now() - SUBNETS_MAX_AGE_MS);
  return items.get(status?.network?.subnetID ?? '')?.enable_dhcp ?? true;
}

async function flavorOf({ cloud, machine }: MachineScope): Promise<Flavor | undefined> {
  if (cloud === undefined) return undefined;
  const nameOrID = machine.spec.flavor;
  const known = await cloud.cache.flavors.refreshAfter(Number.NEGATIVE_INFINITY);
  const flavors = [...known.items.values()];
  return flavors.find(({ id }) => id === nameOrID) ?? flavors.find(({ name }) => name === nameOrID);
}

/** Retains the primary server and deletes others with the machine's tag. */
export async function removeDuplicateServers(scope: MachineScope, servers: readonly ServerRef[]): Promise<void> {
  if (servers.length < 2) return;
  const kept = scope.currentServer()?.id;
  await Promise.all(servers.filter(({ id }) => id !== kept).map(({ id }) => deleteServer(scope, id)));
}

export async function deleteServer(scope: MachineScope, id: string): Promise<void> {
  const { cloud, signal } = scope;
  if (cloud === undefined) return;
  await recordRootVolume(scope, id);
  await removeServer(cloud, id, { signal });
}

/** How long a server in ERROR may take to provide a fault. */
const FAULT_GRACE_MS = 1_000;

/**
 * The server in ERROR with the fault that the cloud reports; undefined while it may still be incomplete: Nova sets
 * ERROR before it writes the fault.
 */
export async function serverWithFault(scope: MachineScope, server: Server): Promise<Server | undefined> {
  const { cloud, dependencies, signal } = scope;
  if (server.fault || cloud === undefined) return server;
  if (scope.now() < dependencies.builds.failedSinceMs(server.id) + FAULT_GRACE_MS) return undefined;
  return (await ignoreNotFound(cloud.client.compute.servers.get(server.id, { signal }))) ?? server;
}

/** Deletes a server that failed before it became a node. Rejects with the fault, so that the replacement backs off. */
export async function replaceFailedServer(scope: MachineScope, server: Server): Promise<never> {
  const fault = new ProblemError(faultProblem(server, hasNeighbours(scope)));
  scope.dependencies.builds.failed(scope.uid, shapeOf(scope.machine, scope.pool), fault);
  await deleteServer(scope, server.id);
  throw fault;
}

const FAULTS: ReadonlySet<string> = new Set<ConditionReason>([
  ConditionReason.FlavorOutOfStock,
  ConditionReason.ServerFailed,
  ConditionReason.AntiAffinityUnsatisfiable,
  ConditionReason.AddressesExhausted,
]);

/** Why the machine's last server failed, or that of another machine of its shape, as recorded on the machine. */
export function lastFault({ status }: Machine): ProblemError | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  if (condition?.status !== 'False' || !FAULTS.has(condition.reason)) return undefined;
  return new ProblemError({ reason: condition.reason as ConditionReason, message: condition.message });
}

/**
 * Whether the group that strictly separates the machine's server has other members: the first member can use any
 * hypervisor.
 */
function hasNeighbours({ machine, pool, dependencies }: MachineScope): boolean {
  if (machine.spec.serverGroupID === undefined || pool === undefined || !isHardAntiAffinity(pool.spec)) return false;
  return dependencies.cache.machines
    .find(machinesByPool, keyOf(pool))
    .some(
      ({ metadata, spec, status }) =>
        metadata.uid !== machine.metadata.uid &&
        spec.serverGroupID === machine.spec.serverGroupID &&
        status?.serverStatus === 'ACTIVE',
    );
}

function faultProblem(server: Server, hasNeighbours: boolean): Problem {
  // This part differs from one attempt to the next.
  const fault = server.fault?.message.replaceAll(server.id, '…') ?? 'the cloud gives no reason';
  const again = 'another one will be created after a delay';
  const kind = serverFaultKind(server);
  switch (kind === 'outOfCapacity' && hasNeighbours ? 'antiAffinity' : kind) {
    case 'antiAffinity':
      return {
        reason: ConditionReason.AntiAffinityUnsatisfiable,
        message: `the cloud has no other hypervisor for the server, and antiAffinity requires a separate one for each node of the pool: ${fault}; ${again}. Reduce the number of nodes, or add nodes in a pool with antiAffinityPolicy Soft`,
      };
    case 'outOfAddresses':
      return {
        reason: ConditionReason.AddressesExhausted,
        message: `the node subnet has no free address: ${fault}; ${again}. Delete unused ports, or scale down pools`,
      };
    case 'outOfCapacity':
      return {
        reason: ConditionReason.FlavorOutOfStock,
        message: `the cloud has no capacity for the server: ${fault}; ${again}. Another flavor or zone may have capacity`,
      };
    case 'quotaExceeded':
      return {
        reason: ConditionReason.QuotaExceeded,
        message: `${fault}; free resources or request a larger quota; ${again}`,
      };
    case 'failed':
    case undefined:
      return { reason: ConditionReason.ServerFailed, message: `the server failed: ${fault}; ${again}` };
  }
}
