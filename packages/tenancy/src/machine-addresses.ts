import { isIP } from 'node:net';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { canonicalAddress, cidrSet } from '@fairway/control-plane/process/egress/special-addresses';
import { DEFAULT_NODE_ADDRESSES, type NodeAddressSettings } from '@fairway/openstack/config/node-address-settings';
import type { Server, ServerAddress } from '@fairway/openstack/types/server';
import { Address4, Address6 } from 'ip-address';
import { MAX_NODE_ADDRESSES } from './connection/node.ts';

type Addresses = NonNullable<NonNullable<Machine['status']>['addresses']>;
type Address = Addresses[number];

/** Rules that select a node's addresses from those of its server, and order them. */
export interface AddressRules {
  /** The nodes' subnet: the server's address in it is the node's first internal address. */
  readonly nodesCIDR?: string | undefined;
  /** The cluster's pod and Service ranges. */
  readonly clusterRanges?: readonly string[];
  readonly settings?: NodeAddressSettings;
}

export function addressRules(
  cluster: Cluster | undefined,
  cloud: { readonly nodeAddresses: NodeAddressSettings } | undefined,
): AddressRules {
  const { podCIDR, serviceCIDR, network } = cluster?.status ?? {};
  return {
    nodesCIDR: network?.nodesCIDR,
    clusterRanges: [podCIDR, serviceCIDR].filter((range) => range !== undefined),
    ...(cloud && { settings: cloud.nodeAddresses }),
  };
}

/**
 * A server's addresses for its Node: internal addresses, external addresses, and the name. Floating IPs, addresses in
 * public networks, and `accessIPv4` or `accessIPv6` are external. An access address in a range of the cluster is
 * ignored, because it does not lead to this node. The nodes' subnet comes first, then `sortOrder` applies. Otherwise,
 * IPv4 comes first, then addresses are sorted by network name. Based on cloud-provider-openstack's `nodeAddresses`,
 * except for the nodes' subnet, whose fixed addresses are always internal and first.
 */
export function machineAddresses(
  server: Pick<Server, 'name' | 'addresses'> & Partial<Pick<Server, 'accessIPv4' | 'accessIPv6'>>,
  rules: AddressRules = {},
): Addresses {
  const settings = rules.settings ?? DEFAULT_NODE_ADDRESSES;
  const isOwn = cidrSet(rules.nodesCIDR === undefined ? [] : [rules.nodesCIDR]);
  const networks = Object.entries(server.addresses).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const networkAddresses = networks.flatMap(([network, listed]) =>
    listed.flatMap((each) => typed(each, network, settings, isOwn)),
  );
  const consideredAddresses = [...accessAddresses(server, rules), ...networkAddresses].filter(
    ({ address }) => settings.ipv6 || isIP(address) !== 6,
  );
  const sortedByVersion = consideredAddresses.toSorted((a, b) => isIP(a.address) - isIP(b.address));
  const ordered = sortByRanges(sortedByVersion, settings.sortOrder);
  const internal = ordered.filter(({ type }) => type === 'InternalIP');
  const external = ordered.filter(({ type }) => type === 'ExternalIP');
  const nodeNetworkFirst = internal.toSorted((a, b) => Number(isOwn(b.address)) - Number(isOwn(a.address)));
  const uniqueAddresses = withoutDuplicates([...nodeNetworkFirst, ...external]).slice(0, MAX_NODE_ADDRESSES - 1);
  return [...uniqueAddresses, { type: 'Hostname', address: server.name }];
}

function typed(
  { addr, 'OS-EXT-IPS:type': type }: ServerAddress,
  network: string,
  { publicNetworks, internalNetworks }: NodeAddressSettings,
  isOwn: (address: string) => boolean,
): Address[] {
  if (type === 'floating') return [{ type: 'ExternalIP', address: addr }];
  if (isOwn(addr)) return [{ type: 'InternalIP', address: addr }];
  if (publicNetworks.includes(network)) return [{ type: 'ExternalIP', address: addr }];
  const isInternal = internalNetworks.length === 0 || internalNetworks.includes(network);
  return isInternal ? [{ type: 'InternalIP', address: addr }] : [];
}

/** Ranges that cannot be reached from other hosts. */
const UNREACHABLE_RANGES = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/127',
  'fe80::/10',
  'ff00::/8',
];

/** Anyone who may change the server can set any address, such as another node's or that of a metadata service. */
function accessAddresses(
  { accessIPv4 = '', accessIPv6 = '' }: Partial<Pick<Server, 'accessIPv4' | 'accessIPv6'>>,
  { nodesCIDR, clusterRanges = [] }: AddressRules,
): Address[] {
  const accessIPs = [accessIPv4, accessIPv6].filter((address) => isIP(address) !== 0);
  // Few servers have an access address, and building the set of ranges is the most expensive step.
  if (accessIPs.length === 0) return [];
  const isExcluded = cidrSet([
    ...UNREACHABLE_RANGES,
    ...clusterRanges,
    ...(nodesCIDR === undefined ? [] : [nodesCIDR]),
  ]);
  const reachable = accessIPs.filter((address) => !isExcluded(canonicalAddress(address)));
  return reachable.map((address) => ({ type: 'ExternalIP', address }));
}

/** Sorts addresses by the first matching range, then by value. Addresses that match no range keep their order. */
function sortByRanges(addresses: readonly Address[], ranges: readonly string[]): readonly Address[] {
  if (ranges.length === 0) return addresses;
  const rangeSets = ranges.map((range) => cidrSet([range]));
  const rankOf = (address: string) => {
    const rank = rangeSets.findIndex((isIn) => isIn(address));
    return rank === -1 ? ranges.length : rank;
  };
  return addresses.toSorted((a, b) => {
    const rank = rankOf(a.address);
    const difference = rank - rankOf(b.address);
    return difference !== 0 || rank === ranges.length ? difference : compareValues(a.address, b.address);
  });
}

function compareValues(a: string, b: string): number {
  const [first, second] = [valueOf(a), valueOf(b)];
  return first === second ? 0 : first < second ? -1 : 1;
}

function valueOf(address: string): bigint {
  return (isIP(address) === 6 ? new Address6(address) : new Address4(address)).bigInt();
}

function withoutDuplicates(addresses: readonly Address[]): Addresses {
  return [...new Map(addresses.map((each) => [`${each.type} ${each.address}`, each])).values()];
}
