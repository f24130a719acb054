import type { Cluster } from '@fairway/api/kinds/cluster';
import { DEFAULT_MONITOR, type LoadBalancerSettings } from './settings.ts';

/** What load balancers of the cluster are like by default; undefined before its network is there. */
export function settingsOf({ metadata, status }: Cluster): LoadBalancerSettings | undefined {
  const { subnetID, loadBalancersSubnetID = subnetID, externalNetworkID } = status?.network ?? {};
  if (subnetID === undefined) return undefined;
  return {
    clusterName: metadata.name ?? '',
    provider: undefined,
    subnetID: loadBalancersSubnetID,
    memberSubnetID: subnetID,
    floatingNetworkID: externalNetworkID,
    monitor: DEFAULT_MONITOR,
    classes: new Map(),
  };
}
