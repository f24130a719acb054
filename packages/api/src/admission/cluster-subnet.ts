import type { Cluster } from '../kinds/cluster.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';

/**
 * The existing subnet of the nodes: the one that the cluster specifies, or the only IPv4 subnet of its network.
 * Undefined if unknown.
 */
export function configuredSubnet(
  { spec, status }: Cluster,
  subnets: readonly CatalogueSubnet[] | undefined,
): CatalogueSubnet | undefined {
  const { networkID } = spec.network;
  if (networkID === undefined) return undefined;
  const subnetID = spec.network.subnetID ?? status?.network?.subnetID;
  const networkSubnets = subnets?.filter((subnet) => subnet.networkID === networkID && subnet.ipVersion === 4) ?? [];
  const [subnet, ...more] =
    subnetID === undefined ? networkSubnets : networkSubnets.filter(({ id }) => id === subnetID);
  return more.length === 0 ? subnet : undefined;
}
