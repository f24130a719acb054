import { lacksOnlyNetwork } from '@fairway/addons/pod-network/waiting-node';
import { isUninitialized, nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';

/** What a node that has joined but is not Ready is waiting for, if known. Pure. */
export function describeUnready(node: TenantNode): string {
  const ready = nodeReadyCondition(node);
  if (ready?.status === 'True' && isUninitialized(node)) {
    return 'the node is not ready: the cloud provider has not initialised it yet';
  }
  if (lacksOnlyNetwork(ready)) {
    return 'the node is waiting for the pod network: if Fairway manages it, see status.addons of the Cluster; otherwise you must install one';
  }
  return ready?.message ? `the node is not ready: ${ready.message}` : 'the node is not ready yet';
}
