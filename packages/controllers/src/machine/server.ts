import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { serverFaultKind } from '@fairway/openstack/compute/server-fault';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Server } from '@fairway/openstack/types/server';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ensurePort, hasOwnPorts, notePortTaken } from './port.ts';
import type { MachineScope } from './scope.ts';
import { shapeOf } from './server-builds.ts';
import { serverRequest } from './server-request.ts';

/**
 * Creates the machine's server. Returns what the user must fix first, if anything; rejects with the cloud's or the tenant's
 * error, also while backing off.
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
      message: `the cloud no longer has flavor ${machine.spec.flavor}; set spec.flavor of the pool to one of \`openstack flavor list\``,
    };
  }
  const { attempts, bootstrapper, builds } = scope.dependencies;
  const clusterUid = identityOf(cluster);
  const shape = shapeOf(machine, pool);
  const build = builds.begin(scope.uid, shape, lastFault(machine));
  try {
    const { servers } = cloud.client.compute;
    const create = async () => {
      const port = hasOwnPorts(cluster) ? await ensurePort(scope, cloud, cluster, shape) : undefined;
      const userData = await attempts.make({ kind: 'bootstrap token', item: clusterUid }, () =>
        bootstrapper.userData(cluster, pool, machine, flavor),
      );
      const { server, hints } = serverRequest(machine, {
        clusterUid,
        clusterName: cluster.metadata.name ?? '',
        flavorID: flavor.id,
        networking: port ? { portID: port.id } : { networkID, securityGroupID },
        userData,
      });
      const created = await servers.create(server, { signal: scope.signal, ...(hints && { hints }) });
      if (port) notePortTaken(scope, cloud, port, created.id);
      return { id: created.id };
    };
    await cloud.make<ServerRef>(cloud.ledgers.servers, machineTag(scope.uid), create, shape);
    return undefined;
  } catch (error) {
    build.release();
    // What the server needs may be gone: whoever sees to it lists again.
    if (isOpenStackError(error, 'badRequest') || isOpenStackError(error, 'notFound')) {
      const { networks, subnets, securityGroups, ports, serverGroups } = cloud.cache;
      for (const cache of [networks, subnets, securityGroups, ports, serverGroups]) cache.invalidate();
    }
    // The port is still a server's that is going.
    if (isOpenStackError(error, 'conflict')) cloud.cache.ports.invalidate();
    throw error;
  }
}

async function flavorOf({ cloud, machine }: MachineScope): Promise<Flavor | undefined> {
  if (cloud === undefined) return undefined;
  const wanted = machine.spec.flavor;
  const known = await cloud.cache.flavors.refreshAfter(Number.NEGATIVE_INFINITY);
  const flavors = [...known.items.values()];
  return flavors.find(({ id }) => id === wanted) ?? flavors.find(({ name }) => name === wanted);
}

/** Keeps the primary server and deletes others with the machine's mark. */
export async function removeExtraServers(scope: MachineScope, servers: readonly ServerRef[]): Promise<void> {
  if (servers.length < 2) return;
  const kept = scope.currentServer()?.id;
  await Promise.all(servers.filter(({ id }) => id !== kept).map(({ id }) => deleteServer(scope, id)));
}

export async function deleteServer({ cloud, signal }: MachineScope, id: string): Promise<void> {
  await cloud?.remove(cloud.ledgers.servers, id, () => cloud.client.compute.servers.delete(id, { signal }));
}

/** How long a server in ERROR may take to say why. */
const FAULT_GRACE_MS = 1_000;

/** The server in ERROR with what the cloud says of it; undefined while it may still say more: Nova shows ERROR before it has written the fault. */
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

/** Why the machine's last server failed, or that of another of its shape, as the machine says. */
export function lastFault({ status }: Machine): ProblemError | undefined {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  if (condition?.status !== 'False' || !FAULTS.has(condition.reason)) return undefined;
  return new ProblemError({ reason: condition.reason as ConditionReason, message: condition.message });
}

/** Whether the group that keeps the machine's server apart has others: the first one has every hypervisor to choose from. */
function hasNeighbours({ machine, pool, dependencies }: MachineScope): boolean {
  if (machine.spec.serverGroupID === undefined || pool === undefined) return false;
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
  // It differs from one try to the next.
  const fault = server.fault?.message.replaceAll(server.id, '…') ?? 'the cloud gives no reason';
  const again = 'another one will be created after a delay';
  const kind = serverFaultKind(server);
  switch (kind === 'outOfCapacity' && hasNeighbours ? 'antiAffinity' : kind) {
    case 'antiAffinity':
      return {
        reason: ConditionReason.AntiAffinityUnsatisfiable,
        message: `the cloud has no further hypervisor for the server, and antiAffinity keeps the pool's nodes on one each: ${fault}; ${again}. Ask for fewer nodes, or for more in a pool without antiAffinity`,
      };
    case 'outOfAddresses':
      return {
        reason: ConditionReason.AddressesExhausted,
        message: `the nodes' subnet has no address left: ${fault}; ${again}. Delete ports that nobody needs, or scale pools down`,
      };
    case 'outOfCapacity':
      return {
        reason: ConditionReason.FlavorOutOfStock,
        message: `the cloud has no room for the server: ${fault}; ${again}. Another flavor or zone may have room`,
      };
    case 'quotaExceeded':
      return {
        reason: ConditionReason.QuotaExceeded,
        message: `${fault}; free something or ask for a larger quota; ${again}`,
      };
    case 'failed':
    case undefined:
      return { reason: ConditionReason.ServerFailed, message: `the server failed: ${fault}; ${again}` };
  }
}
