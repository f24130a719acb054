import { CidrError, contains, overlaps, parseAddress, parseCidr } from '@fairway/api/domain/cidr';
import type { AllowedAddressPair, HostRoute } from '@fairway/openstack/types/network';

/** A node as its cluster's API and its server show it. */
export interface RoutedNode {
  readonly name: string;
  /** `spec.podCIDR`, which a kubelet may have set itself. */
  readonly podCIDR: string | undefined;
  /** Its server's address in the nodes' subnet; undefined while it is unknown. */
  readonly address: string | undefined;
  /** When it registered, RFC 3339. */
  readonly createdTime: string;
}

export interface RouteFacts {
  /** The cluster's range of pods. */
  readonly podCIDR: string;
  readonly nodesCIDR: string;
  readonly nodes: readonly RoutedNode[];
  /** What the cluster's own router has. */
  readonly present: readonly HostRoute[];
}

export interface RoutePlan {
  readonly add: readonly HostRoute[];
  readonly remove: readonly HostRoute[];
  /** By the name of its node: present and still to come. */
  readonly wanted: ReadonlyMap<string, HostRoute>;
  /** Why a node has no route. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Pods of one node: what control planes allocate (--node-cidr-mask-size). */
const NODE_PREFIX = 24;

/**
 * One route for each node: its pods' range by its address. Of what a router of the cluster's own has, everything within the cluster's range of pods is
 * Fairway's; other routes are not touched.
 */
export function planRoutes({ podCIDR, nodesCIDR, nodes, present }: RouteFacts): RoutePlan {
  const wanted = new Map<string, HostRoute>();
  const refused = new Map<string, string>();
  // Of two nodes that claim a range, the one that had it first keeps it.
  const byAge = nodes.toSorted((a, b) => a.createdTime.localeCompare(b.createdTime) || (a.name < b.name ? -1 : 1));
  const claimed: { readonly name: string; readonly range: string }[] = [];
  for (const node of byAge) {
    if (node.podCIDR === undefined || node.address === undefined) continue;
    const { podCIDR: range, address } = node;
    const rival = claimed.find((other) => isOverlapping(other.range, range));
    const problem = rangeProblem(range, podCIDR) ?? addressProblem(address, nodesCIDR);
    if (problem !== undefined || rival !== undefined) {
      refused.set(node.name, problem ?? `its pods' range ${range} is that of node ${rival?.name}`);
      continue;
    }
    claimed.push({ name: node.name, range });
    wanted.set(node.name, { destination: range, nexthop: address });
  }
  const routes = [...wanted.values()];
  return {
    add: routes.filter((route) => !has(present, route)),
    remove: present.filter((route) => isWithin(route.destination, podCIDR) && !has(routes, route)),
    wanted,
    refused,
  };
}

/** The address pairs of a node's port: pods send with their own addresses. Those outside of the cluster's range of pods are somebody else's. */
export function wantedPairs(
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
    return `its pods' range ${range} is not a /${NODE_PREFIX} or smaller within the cluster's ${podCIDR}`;
  } catch {
    return `its pods' range ${range.slice(0, 64)} is not an IPv4 network`;
  }
}

function addressProblem(address: string, nodesCIDR: string): string | undefined {
  if (isWithin(address, nodesCIDR)) return undefined;
  return `its server's address ${address} is not in the nodes' subnet ${nodesCIDR}, which the router is attached to`;
}

/** Of an address or a range; what is neither is within nothing. */
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
