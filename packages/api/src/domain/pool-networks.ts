import type { CatalogueNetwork, CatalogueSubnet } from '../admission/cloud-catalogue.ts';
import type { PoolNetwork } from '../kinds/pool-networks.ts';
import { findOverlaps, type NamedRange } from './address-plan.ts';

/** The facts to validate a pool's networks against. */
export interface PoolNetworkFacts {
  /** Absent while unknown. */
  readonly networks: readonly CatalogueNetwork[] | undefined;
  readonly subnets: readonly CatalogueSubnet[] | undefined;
  /** Network of the cluster's nodes; undefined while unknown. */
  readonly nodesNetworkID: string | undefined;
  /** The cluster's ranges and those reserved by its plan. */
  readonly ranges: readonly NamedRange[];
}

/** A problem with one of a pool's networks. */
export interface PoolNetworkIssue {
  readonly reason: 'NetworkNotFound' | 'SubnetNotFound' | 'AddressRangeOverlap';
  /** Index in `spec.networks`. */
  readonly index: number;
  readonly field: 'networkID' | 'subnetID';
  /** Whether the field is required but missing. */
  readonly isMissing?: boolean;
  readonly detail: string;
}

/** A pool's network, with the subnet from which its servers get addresses. */
export interface FoundNetwork {
  readonly networkID: string;
  readonly subnetID: string;
}

export interface PoolNetworkResult {
  readonly issues: readonly PoolNetworkIssue[];
  /** Networks that have no problems and whose subnet is known, in the pool's order. */
  readonly found: readonly FoundNetwork[];
}

/** Looks up a pool's networks in the cloud's catalogue for its project. Pure. */
export function checkPoolNetworks(desired: readonly PoolNetwork[], facts: PoolNetworkFacts): PoolNetworkResult {
  const issues: PoolNetworkIssue[] = [];
  const found: FoundNetwork[] = [];
  const taken: NamedRange[] = [...facts.ranges];
  for (const [index, network] of desired.entries()) {
    const problem = networkIssue(network, desired.slice(0, index), facts);
    const { subnet, issue = problem } = problem ? {} : subnetOf(network, facts);
    const overlap = subnet && overlapIssue(network, subnet, taken);
    const first = issue ?? overlap;
    if (first) issues.push({ ...first, index });
    if (subnet) taken.push({ name: `subnet of network ${network.networkID}`, cidr: subnet.cidr });
    if (subnet && !first && facts.networks) found.push({ networkID: network.networkID, subnetID: subnet.id });
  }
  return { issues, found };
}

type Issue = Omit<PoolNetworkIssue, 'index'>;

function networkIssue(
  { networkID }: PoolNetwork,
  earlier: readonly PoolNetwork[],
  { networks, nodesNetworkID }: PoolNetworkFacts,
): Issue | undefined {
  const issue = (detail: string): Issue => ({ reason: 'NetworkNotFound', field: 'networkID', detail });
  if (earlier.some((other) => other.networkID === networkID)) return issue('is listed twice: list each network once');
  if (networkID === nodesNetworkID) {
    return issue("is the network of the cluster's nodes, which every server is in: remove it");
  }
  if (networks === undefined) return undefined;
  const network = networks.find(({ id }) => id === networkID);
  if (network === undefined || network.isForeign) {
    return issue(`the project has no such network; choose one of \`openstack network list\`${offered(networks)}`);
  }
  if (network.isExternal) {
    return issue(`network "${network.name}" is external: choose a network of the project`);
  }
  if (network.hasPortSecurity === false) {
    return issue(
      `network "${network.name}" has port security disabled, so security groups cannot protect nodes in it: enable it with \`openstack network set --enable-port-security ${networkID}\`, or choose another network`,
    );
  }
  return undefined;
}

function offered(networks: readonly CatalogueNetwork[]): string {
  const candidates = networks.filter(({ isExternal, isForeign }) => !isExternal && !isForeign).slice(0, 5);
  if (candidates.length === 0) return '; there is none';
  return `, such as ${candidates.map(({ id, name }) => `${id} ("${name}")`).join(', ')}`;
}

function subnetOf(
  { networkID, subnetID }: PoolNetwork,
  { subnets }: PoolNetworkFacts,
): { readonly subnet?: CatalogueSubnet; readonly issue?: Issue } {
  if (subnets === undefined) return {};
  const networkSubnets = subnets.filter((subnet) => subnet.networkID === networkID);
  const usable = networkSubnets.filter(({ ipVersion }) => ipVersion === 4);
  const issue = (field: Issue['field'], detail: string, isMissing = false) => ({
    issue: { reason: 'SubnetNotFound' as const, field, detail, ...(isMissing && { isMissing }) },
  });
  if (usable.length === 0) return issue('networkID', 'the network has no IPv4 subnet: create one in it');
  const listed = usable
    .slice(0, 5)
    .map(({ id, name, cidr }) => `${id} ("${name}", ${cidr})`)
    .join(', ');
  if (subnetID === undefined) {
    const [subnet] = usable;
    if (subnet && usable.length === 1) return { subnet };
    return issue('subnetID', `the network has ${usable.length} IPv4 subnets: choose one of ${listed}`, true);
  }
  const subnet = networkSubnets.find(({ id }) => id === subnetID);
  if (subnet === undefined) return issue('subnetID', `network ${networkID} has no such subnet; it has ${listed}`);
  if (subnet.ipVersion === 6) {
    return issue('subnetID', `is an IPv6 subnet, but servers need an IPv4 address: choose one of ${listed}`);
  }
  return { subnet };
}

function overlapIssue(
  { subnetID }: PoolNetwork,
  { id, cidr }: CatalogueSubnet,
  taken: readonly NamedRange[],
): Issue | undefined {
  const other = taken.find((range) => findOverlaps([range, { name: '', cidr }]).length > 0);
  if (other === undefined) return undefined;
  const detail = `subnet ${id} has the CIDR ${cidr}, which overlaps the ${other.name} ${other.cidr}: choose a network with another CIDR`;
  return { reason: 'AddressRangeOverlap', field: subnetID === undefined ? 'networkID' : 'subnetID', detail };
}

/** Number of ports that each server in the pool takes from the project's quota. */
export function portsPerNode({ networks = [] }: { readonly networks?: readonly PoolNetwork[] | undefined }): number {
  return 1 + networks.length;
}

/** Whether two lists are equal regardless of their order. */
export function areNetworksEqual(
  one: readonly PoolNetwork[] | undefined,
  other: readonly PoolNetwork[] | undefined,
): boolean {
  return formatNetworks(one) === formatNetworks(other);
}

/** Identifies a pool's networks regardless of their order; empty if there are none. */
export function formatNetworks(networks: readonly PoolNetwork[] = []): string {
  return networks
    .map(({ networkID, subnetID }) => (subnetID === undefined ? networkID : `${networkID}/${subnetID}`))
    .sort()
    .join(',');
}
