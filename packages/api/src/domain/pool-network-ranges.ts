import type { CatalogueSubnet } from '../admission/cloud-catalogue.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import type { NamedRange } from './address-plan.ts';
import { effectiveNetworking } from './effective-networking.ts';

/**
 * Ranges that must not overlap with the subnets of a pool's networks, because a node has only one route to each range.
 */
export function clusterRanges(
  cluster: Cluster | undefined,
  plan: PlanSpec | undefined,
  subnets: readonly CatalogueSubnet[] | undefined,
): readonly NamedRange[] {
  if (cluster === undefined || plan === undefined) return [];
  const { network } = cluster.spec;
  const { podCIDR, serviceCIDR, nodesCIDR } = effectiveNetworking(cluster, plan);
  const of = (id: string | undefined) => subnets?.find((subnet) => subnet.id === id)?.cidr;
  const subnetCidr = of(cluster.status?.network?.subnetID ?? network.subnetID);
  const nodes = network.networkID === undefined ? nodesCIDR : (subnetCidr ?? cluster.status?.network?.nodesCIDR);
  const loadBalancersCidr = of(network.loadBalancersSubnetID);
  return [
    ...(nodes === undefined ? [] : [{ name: 'node network', cidr: nodes }]),
    { name: 'pod network', cidr: podCIDR },
    { name: 'service network', cidr: serviceCIDR },
    ...(loadBalancersCidr === undefined ? [] : [{ name: 'load balancer subnet', cidr: loadBalancersCidr }]),
    ...plan.network.reservedCIDRs.map((cidr) => ({ name: 'reserved range', cidr })),
  ];
}
