import { ConditionType } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { LoadBalancerSettings } from './settings.ts';

/** Default load balancer settings of the cluster; undefined until its network and router exist. */
export function settingsOf(
  cluster: Cluster,
  cloud: Pick<ProjectCloud, 'loadBalancers'>,
): LoadBalancerSettings | undefined {
  const { metadata, status } = cluster;
  if (isAwaitingRouter(cluster)) return undefined;
  const { subnetID, loadBalancersSubnetID = subnetID, externalNetworkID } = status?.network ?? {};
  if (subnetID === undefined) return undefined;
  return {
    ...cloud.loadBalancers,
    clusterName: metadata.name ?? '',
    subnetID: loadBalancersSubnetID,
    memberSubnetID: subnetID,
    floatingNetworkID: externalNetworkID,
  };
}

/**
 * Whether the nodes of a new cluster wait for its network. A working cluster that gets its first router already has
 * load balancers.
 */
function isAwaitingRouter({ spec, status }: Cluster): boolean {
  const isReady = findCondition(status?.conditions, ConditionType.NetworkReady)?.status !== 'False';
  if (isReady || status?.lastOperation?.type !== 'Create') return false;
  return spec.network.gateway.mode === 'Router' && status.network?.routerID === undefined;
}
