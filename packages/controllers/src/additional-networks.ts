import { ConditionReason } from '@fairway/api/conditions';
import { findOverlaps, type NamedRange } from '@fairway/api/domain/address-plan';
import { isCidr, parseCidr } from '@fairway/api/domain/cidr';
import { clusterRanges } from '@fairway/api/domain/pool-network-ranges';
import { checkPoolNetworks, type FoundNetwork } from '@fairway/api/domain/pool-networks';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import type { PoolNetwork } from '@fairway/api/kinds/pool-networks';
import type { AdditionalInterface } from '@fairway/control-plane/bootstrap/additional-interfaces';
import type { Port } from '@fairway/openstack/types/network';
import { catalogueNetwork, catalogueSubnet } from '@fairway/tenancy/cloud/catalogue-network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Problem } from '@fairway/tenancy/problem';

export interface NetworkLookupOptions {
  readonly cloud: ProjectCloud;
  readonly cluster: Cluster | undefined;
  readonly plan: Plan | undefined;
  /** Ignores lists that were requested before this time. */
  readonly since: { readonly networksMs: number; readonly subnetsMs: number };
  readonly signal: AbortSignal;
}

/** The networks in a pool's spec, as found in the cloud. */
export interface NetworkLookupResult {
  /** What the user must fix first. */
  readonly problem: Problem | undefined;
  readonly found: readonly FoundNetwork[];
}

/**
 * Resolves the additional networks of servers, from lists that the project's clusters share. Rejects with the cloud's
 * error.
 */
export async function lookUpNetworks(
  requested: readonly PoolNetwork[] | undefined,
  { cloud, cluster, plan, since, signal }: NetworkLookupOptions,
): Promise<NetworkLookupResult> {
  if (requested === undefined || requested.length === 0) return { problem: undefined, found: [] };
  const { cache, client } = cloud;
  const [projectID, networks, subnets] = await Promise.all([
    client.session.projectId(),
    cache.networks.refreshAfter(since.networksMs, signal),
    cache.subnets.refreshAfter(since.subnetsMs, signal),
  ]);
  const known = [...subnets.items.values()].map(catalogueSubnet);
  const { issues, found } = checkPoolNetworks(requested, {
    networks: [...networks.items.values()].map((network) => {
      // The network's ports are always protected if the network belongs to the project.
      const { hasPortSecurity: _, ...known } = catalogueNetwork(network, projectID);
      return known;
    }),
    subnets: known,
    nodesNetworkID: cluster?.status?.network?.networkID ?? cluster?.spec.network.networkID,
    ranges: clusterRanges(cluster, plan?.spec, known),
  });
  const [issue] = issues;
  if (issue === undefined) return { problem: undefined, found };
  const value = requested[issue.index]?.[issue.field];
  const named = `spec.networks[${issue.index}].${issue.field}${value === undefined ? '' : `: ${value}`}`;
  return { problem: { reason: ConditionReason[issue.reason], message: `${named}: ${issue.detail}` }, found };
}

/**
 * What the node needs to know about these additional ports of its server, from lists already in the cache. The node
 * sets the addresses itself, so that no DHCP server can give it a second default route or other name servers.
 */
export function interfacesOf(
  cloud: ProjectCloud,
  ports: readonly Port[],
  ranges: readonly NamedRange[],
): AdditionalInterface[] {
  const networks = cloud.cache.networks.snapshot().items;
  const subnets = cloud.cache.subnets.snapshot().items;
  return ports.flatMap(({ network_id, mac_address: macAddress, fixed_ips }): AdditionalInterface[] => {
    const mtu = networks.get(network_id)?.mtu;
    const addresses = fixed_ips.flatMap(({ subnet_id, ip_address }) => {
      const subnet = subnets.get(subnet_id);
      return subnet?.ip_version === 4 && isCidr(subnet.cidr) ? [{ subnet, ip_address }] : [];
    });
    const [first] = addresses;
    if (first === undefined) return [];
    const { subnet, ip_address } = first;
    // Omits default routes and those that would divert the cluster's own packets.
    const routes = subnet.host_routes.filter(
      ({ destination }) =>
        isCidr(destination) &&
        parseCidr(destination).prefixLength > 0 &&
        ranges.every((range) => findOverlaps([range, { name: '', cidr: destination }]).length === 0),
    );
    return [
      {
        macAddress,
        address: `${ip_address}/${parseCidr(subnet.cidr).prefixLength}`,
        ...(mtu !== undefined && mtu > 0 && { mtu }),
        routes: routes.map(({ destination, nexthop }) => ({ destination, gateway: nexthop })),
      },
    ];
  });
}
