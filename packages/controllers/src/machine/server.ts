import { ConditionReason } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { serverFaultKind } from '@fairway/openstack/compute/server-fault';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Server } from '@fairway/openstack/types/server';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';
import type { MachineScope } from './scope.ts';
import { serverRequest } from './server-request.ts';

/**
 * Asks the cloud for the machine's server. Returns what the user must mend first, if anything; rejects with the cloud's error.
 */
export async function createServer(scope: MachineScope): Promise<Problem | undefined> {
  const { machine, cluster, pool, cloud } = scope;
  const network = cluster?.status?.network;
  if (!cluster || !pool || !cloud || network?.networkID === undefined || network.securityGroupID === undefined) {
    return { reason: ConditionReason.WaitingForNetwork, message: 'the network of the cluster is not ready yet' };
  }
  const flavor = await flavorOf(scope);
  if (flavor === undefined) {
    return {
      reason: ConditionReason.FlavorNotFound,
      message: `the cloud has no flavor ${machine.spec.flavor} any more; make another pool with one of \`openstack flavor list\``,
    };
  }
  const userData = await scope.dependencies.bootstrapper.userData(cluster, pool, machine, flavor);
  const { server, hints } = serverRequest(machine, {
    clusterUid: identityOf(cluster),
    clusterName: cluster.metadata.name ?? '',
    flavorID: flavor.id,
    networkID: network.networkID,
    securityGroupID: network.securityGroupID,
    userData,
  });
  const { servers } = cloud.client.compute;
  await cloud.make<ServerRef>(cloud.ledgers.servers, machineTag(scope.uid), async () => {
    const created = await servers.create(server, { signal: scope.signal, ...(hints && { hints }) });
    return { id: created.id };
  });
  return undefined;
}

async function flavorOf({ cloud, machine }: MachineScope): Promise<Flavor | undefined> {
  if (cloud === undefined) return undefined;
  const wanted = machine.spec.flavor;
  const known = await cloud.cache.flavors.refreshAfter(Number.NEGATIVE_INFINITY);
  const flavors = [...known.items.values()];
  return flavors.find(({ id }) => id === wanted) ?? flavors.find(({ name }) => name === wanted);
}

/** Keeps the server that counts and deletes the others with the machine's mark. */
export async function removeExtraServers(scope: MachineScope, servers: readonly ServerRef[]): Promise<void> {
  if (servers.length < 2) return;
  const kept = scope.currentServer()?.id;
  await Promise.all(servers.filter(({ id }) => id !== kept).map(({ id }) => deleteServer(scope, id)));
}

export async function deleteServer({ cloud }: MachineScope, id: string): Promise<void> {
  await cloud?.remove(cloud.ledgers.servers, id, () => cloud.client.compute.servers.delete(id));
}

/** Deletes a server that failed before it was a node, so that after a pause another is tried. */
export async function replaceFailedServer(
  scope: MachineScope,
  server: Server,
): Promise<{ problem: Problem; requeueAfterMs: number }> {
  const waitMs = scope.backoff.failed(scope.key, scope.now());
  await deleteServer(scope, server.id);
  return { problem: faultProblem(server, waitMs), requeueAfterMs: waitMs };
}

function faultProblem(server: Server, waitMs: number): Problem {
  const fault = server.fault?.message ?? 'the cloud gives no reason';
  const again = `another one is tried in ${Math.ceil(waitMs / 1000)} s`;
  switch (serverFaultKind(server)) {
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
      return { reason: ConditionReason.ServerFailed, message: `server ${server.id} failed: ${fault}; ${again}` };
  }
}
