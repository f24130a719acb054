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

/** Which of a server's addresses are the node's, and in which order. */
export interface AddressRules {
  /** The nodes' subnet: what a server has there is its node's first internal address. */
  readonly nodesCIDR?: string | undefined;
  /** The cluster's ranges of pods and Services. */
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
 * A server's addresses as a Node has them: internal ones, external ones, the name. External are floating ones, those in public networks, and what
 * somebody has set as `accessIPv4` or `accessIPv6`, unless it lies within the cluster: that is no way to reach this node. Own subnet first, then by
 * `sortOrder`, else IPv4 first and by the networks' names. After cloud-provider-openstack's `nodeAddresses`, but for the first rule and for
 * fixed addresses in the nodes' subnet, which are always internal.
 */
export function machineAddresses(
  server: Pick<Server, 'name' | 'addresses'> & Partial<Pick<Server, 'accessIPv4' | 'accessIPv6'>>,
  rules: AddressRules = {},
): Addresses {
  const settings = rules.settings ?? DEFAULT_NODE_ADDRESSES;
  const isOwn = cidrSet(rules.nodesCIDR === undefined ? [] : [rules.nodesCIDR]);
  const networks = Object.entries(server.addresses).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ofNetworks = networks.flatMap(([network, listed]) =>
    listed.flatMap((each) => typed(each, network, settings, isOwn)),
  );
  const counted = [...accessAddresses(server, rules), ...ofNetworks].filter(
    ({ address }) => settings.ipv6 || isIP(address) !== 6,
  );
  const byVersion = counted.toSorted((a, b) => isIP(a.address) - isIP(b.address));
  const ordered = inOrder(byVersion, settings.sortOrder);
  const internal = ordered.filter(({ type }) => type === 'InternalIP');
  const external = ordered.filter(({ type }) => type === 'ExternalIP');
  const ownFirst = internal.toSorted((a, b) => Number(isOwn(b.address)) - Number(isOwn(a.address)));
  const ips = withoutTwins([...ownFirst, ...external]).slice(0, MAX_NODE_ADDRESSES - 1);
  return [...ips, { type: 'Hostname', address: server.name }];
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

/** What no packet from elsewhere reaches. */
const UNREACHABLE = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/127', 'fe80::/10', 'ff00::/8'];

/** Whoever may change the server may set any: a sibling's, or that of a metadata service. */
function accessAddresses(
  { accessIPv4 = '', accessIPv6 = '' }: Partial<Pick<Server, 'accessIPv4' | 'accessIPv6'>>,
  { nodesCIDR, clusterRanges = [] }: AddressRules,
): Address[] {
  const given = [accessIPv4, accessIPv6].filter((address) => isIP(address) !== 0);
  // Few servers have any, and a set of ranges costs more than all the rest.
  if (given.length === 0) return [];
  const isWithin = cidrSet([...UNREACHABLE, ...clusterRanges, ...(nodesCIDR === undefined ? [] : [nodesCIDR])]);
  const usable = given.filter((address) => !isWithin(canonicalAddress(address)));
  return usable.map((address) => ({ type: 'ExternalIP', address }));
}

/** Addresses in the first range come first; in the same range by their value; the others stay as they are. */
function inOrder(addresses: readonly Address[], ranges: readonly string[]): readonly Address[] {
  if (ranges.length === 0) return addresses;
  const sets = ranges.map((range) => cidrSet([range]));
  const rankOf = (address: string) => {
    const rank = sets.findIndex((isIn) => isIn(address));
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

function withoutTwins(addresses: readonly Address[]): Addresses {
  return [...new Map(addresses.map((each) => [`${each.type} ${each.address}`, each])).values()];
}
