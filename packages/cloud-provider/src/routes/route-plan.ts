import { CidrError, contains, overlaps, parseAddress, parseCidr } from '@fairway/api/domain/cidr';
import type { AllowedAddressPair, HostRoute } from '@fairway/openstack/types/network';

/** A node, as reported by its cluster's API and its server. */
export interface RoutedNode {
  readonly name: string;
  /** `spec.podCIDR`, which a kubelet may have set itself. */
  readonly podCIDR: string | undefined;
  /** The address of the node's server in the node subnet; undefined while unknown. */
  readonly address: string | undefined;
  /** When the node registered, in RFC 3339 format. */
  readonly createdTime: string;
}

export interface RouteFacts {
  /** The cluster's pod CIDR. */
  readonly podCIDR: string;
  readonly nodesCIDR: string;
  readonly nodes: readonly RoutedNode[];
  /** The routes of the cluster's own router. */
  readonly present: readonly HostRoute[];
}

export interface RoutePlan {
  readonly add: readonly HostRoute[];
  readonly remove: readonly HostRoute[];
  /** By node name: existing and missing routes. */
  readonly desired: ReadonlyMap<string, HostRoute>;
  /** Why a node has no route. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Prefix length of a node's pod CIDR, as allocated by control planes (`--node-cidr-mask-size`). */
const NODE_PREFIX = 24;

/**
 * Plans one route per node, for its pod CIDR via its address. On the cluster's own router, every route within the
 * cluster's pod CIDR is Fairway's; other routes are not touched.
 */
export function planRoutes({ podCIDR, nodesCIDR, nodes, present }: RouteFacts): RoutePlan {
  const desired = new Map<string, HostRoute>();
  const refused = new Map<string, string>();
  // If two nodes claim the same range, the older node keeps it.
  const byAge = nodes.toSorted((a, b) => a.createdTime.localeCompare(b.createdTime) || (a.name < b.name ? -1 : 1));
  const assignedRanges: { readonly name: string; readonly range: string }[] = [];
  for (const node of byAge) {
    if (node.podCIDR === undefined || node.address === undefined) continue;
    const { podCIDR: range, address } = node;
    const conflicting = assignedRanges.find((other) => isOverlapping(other.range, range));
    const problem = rangeProblem(range, podCIDR) ?? addressProblem(address, nodesCIDR);
    if (problem !== undefined || conflicting !== undefined) {
      refused.set(node.name, problem ?? `its pod CIDR ${range} is already used by node ${conflicting?.name}`);
      continue;
    }
    assignedRanges.push({ name: node.name, range });
    desired.set(node.name, { destination: range, nexthop: address });
  }
  const routes = [...desired.values()];
  return {
    add: routes.filter((route) => !has(present, route)),
    remove: present.filter((route) => isWithin(route.destination, podCIDR) && !has(routes, route)),
    desired,
    refused,
  };
}

/**
 * The address pairs of a node's port, which are needed because pods send packets with their own addresses. Pairs
 * outside the cluster's pod CIDR are foreign.
 */
export function desiredPairs(
  present: readonly AllowedAddressPair[],
  range: string,
  podCIDR: string,
): AllowedAddressPair[] | undefined {
  const own = present.filter(({ ip_address }) => isWithin(ip_address, podCIDR));
  if (own.length === 1 && own[0]?.ip_address === range) return undefined;
  return [...present.filter((pair) => !own.includes(pair)), { ip_address: range }];
}

export function has(routes: readonly HostRoute[], { destination, nexthop }: HostRoute): boolean {
  return routes.some((route) => route.destination === destination && route.nexthop === nexthop);
}

function rangeProblem(range: string, podCIDR: string): string | undefined {
  try {
    const { prefixLength } = parseCidr(range);
    if (isWithin(range, podCIDR) && prefixLength >= NODE_PREFIX) return undefined;
    return `its pod CIDR ${range} is not a /${NODE_PREFIX} or smaller within the cluster's ${podCIDR}`;
  } catch {
    return `its pod CIDR ${range.slice(0, 64)} is not an IPv4 network`;
  }
}

function addressProblem(address: string, nodesCIDR: string): string | undefined {
  if (isWithin(address, nodesCIDR)) return undefined;
  return `its server's address ${address} is not in the node subnet ${nodesCIDR} that the router is attached to`;
}

/** Whether an address or a range is within `outer`; false for any other string. */
function isWithin(text: string, outer: string): boolean {
  try {
    const range = text.includes('/') ? parseCidr(text) : single(text);
    return contains(parseCidr(outer), range);
  } catch (error) {
    if (error instanceof CidrError) return false;
    throw error;
  }
}

function single(address: string) {
  const value = parseAddress(address);
  return { first: value, last: value, prefixLength: 32 };
}

function isOverlapping(a: string, b: string): boolean {
  try {
    return overlaps(parseCidr(a), parseCidr(b));
  } catch {
    return false;
  }
}
