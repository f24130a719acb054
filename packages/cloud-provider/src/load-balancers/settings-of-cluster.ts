import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { LoadBalancerSettings } from './settings.ts';

/** What load balancers of the cluster are like by default; undefined before its network is there. */
export function settingsOf(
  { metadata, status }: Cluster,
  cloud: Pick<ProjectCloud, 'loadBalancers'>,
): LoadBalancerSettings | undefined {
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
