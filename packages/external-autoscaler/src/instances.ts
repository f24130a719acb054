import { type ConditionReason, ConditionReason as Reasons } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import { machineState } from '@fairway/controllers/autoscaling/machine-state';
import { ErrorClass, type Instance, InstanceState } from './protocol/messages.ts';
import { isRemaining } from './target-size.ts';

/** Prefix of the ID of a machine that has no server: no node has such an ID. */
const NO_SERVER_PREFIX = 'fairway://machine/';

const OUT_OF_RESOURCES: ReadonlySet<ConditionReason> = new Set([
  Reasons.QuotaExceeded,
  Reasons.FlavorOutOfStock,
  Reasons.PlanLimitExceeded,
  Reasons.ProjectQuotaExceeded,
  Reasons.AddressesExhausted,
]);

/** The instance ID, as the cloud provider sets it in `spec.providerID` of the node. */
export function instanceID({ metadata, status }: Machine, region: string): string {
  return status?.serverID === undefined
    ? `${NO_SERVER_PREFIX}${metadata.name}`
    : `openstack://${region}/${status.serverID}`;
}

/**
 * The machine of a node in a request; undefined if the node has no machine. The ID and name in the request must match,
 * because the node's kubelet can send anything.
 */
export function machineOf(
  machines: readonly Machine[],
  { providerID, name }: { readonly providerID: string; readonly name: string },
): Machine | undefined {
  if (providerID === '') return machines.find(({ metadata }) => metadata.name === name);
  const id = providerID.slice(providerID.lastIndexOf('/') + 1);
  const found = machines.find(({ metadata, status }) =>
    providerID.startsWith(NO_SERVER_PREFIX) ? metadata.name === id : status?.serverID === id,
  );
  // For an instance without a node, the name in the request is the instance ID.
  const isNamed = name === '' || name === providerID || name === found?.metadata.name;
  return isNamed ? found : undefined;
}

/**
 * A machine as reported to the autoscaler. If it can't be created, the error makes the autoscaler try another group.
 */
export function instanceOf(
  machine: Machine,
  region: string,
  times: { readonly nowMs: number; readonly timeoutMs: number },
): Instance {
  const id = instanceID(machine, region);
  if (!isRemaining(machine)) return { id, status: { instanceState: InstanceState.deleting } };
  if (machine.status?.readyTime !== undefined) return { id, status: { instanceState: InstanceState.running } };
  const state = machineState(machine, undefined, times);
  if (state.kind !== 'failed') return { id, status: { instanceState: InstanceState.creating } };
  const { reason, message } = state.problem;
  const errorInfo = {
    errorCode: reason,
    errorMessage: message,
    instanceErrorClass: OUT_OF_RESOURCES.has(reason) ? ErrorClass.outOfResources : ErrorClass.other,
  };
  return { id, status: { instanceState: InstanceState.creating, errorInfo } };
}
