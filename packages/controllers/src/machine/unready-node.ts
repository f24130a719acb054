import { waitsForNetwork } from '@fairway/addons/pod-network/waiting-node';
import { isUninitialized, nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';

/** What a node that has joined, and is not Ready, waits for, as far as it is told. Pure. */
export function describeUnready(node: TenantNode): string {
  const ready = nodeReadyCondition(node);
  if (ready?.status === 'True' && isUninitialized(node)) {
    return 'the node is not ready: the cloud provider has not initialised it yet';
  }
  if (waitsForNetwork(ready)) {
    return "the node waits for the pod network: status.addons of the Cluster tells how Fairway's fares; one of your own is yours to install";
  }
  return ready?.message ? `the node is not ready: ${ready.message}` : 'the node is not ready yet';
}
