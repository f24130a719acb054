import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { API_VERSION } from '@fairway/api/group';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { Server } from '@fairway/openstack/types/server';
import { type AddressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';

/** Namespace of the cluster's synthetic objects. */
export const NAMESPACE = 'kube-system';

export function machineKey(nodeName: string): string {
  return `${NAMESPACE}/${nodeName}`;
}

/**
 * The Machine of a node, with the server's ID as its identity and the server fields that the cloud provider's
 * controllers use.
 */
export function machineOf(
  nodeName: string,
  clusterName: string,
  server: Server,
  rules: AddressRules,
  flavorName: string,
): Machine {
  const addresses = machineAddresses(server, rules);
  const address = addresses.find(({ type }) => type === 'InternalIP')?.address;
  return {
    ...minimalMachine(nodeName, clusterName, server.id, flavorName),
    status: { serverID: server.id, serverStatus: server.status, addresses, ...(address !== undefined && { address }) },
  };
}

/** The Machine of a node whose server no longer exists. */
export function machineOfDeletedServer(
  nodeName: string,
  clusterName: string,
  serverID: string,
  nowMs: number,
): Machine {
  const missing = {
    type: ConditionType.ServerReady,
    status: 'False',
    reason: ConditionReason.ServerVanished,
    message: `the project has no server ${serverID}`,
  } as const;
  return {
    ...minimalMachine(nodeName, clusterName, serverID, ''),
    status: { serverID, conditions: [...setCondition(undefined, missing, nowMs)] },
  };
}

function minimalMachine(nodeName: string, clusterName: string, serverID: string, flavor: string): Machine {
  return {
    apiVersion: API_VERSION,
    kind: machines.kind,
    metadata: { namespace: NAMESPACE, name: nodeName, uid: serverID },
    spec: { clusterName, nodePoolName: '', flavor, image: '', version: '', floatingIP: false },
  };
}
