import { isIPv4, isIPv6 } from 'node:net';
import type {
  DiscoveryV1EndpointPort,
  Endpoint,
  EndpointAddress,
  EndpointSubset,
  Endpoints,
} from '@fairway/kube/kinds/generated/types';
import { canonicalJson } from '@fairway/kube/object/json';

/** --mirroring-max-endpoints-per-subset. */
const MAX_ADDRESSES = 1000;

/** The endpoints of one slice, with one address family and the same ports. */
export interface MirroredGroup {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly DiscoveryV1EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface MirrorResult {
  readonly groups: readonly MirroredGroup[];
  /** Number of invalid addresses. */
  readonly invalid: number;
  /** Number of addresses beyond a thousand per subset. */
  readonly skipped: number;
}

export function groupKey(addressType: string, ports: readonly DiscoveryV1EndpointPort[]): string {
  return `${addressType} ${canonicalJson(ports)}`;
}

/** Groups Endpoints for the slices that mirror them. */
export function mirroredGroups({ subsets = [] }: Endpoints): MirrorResult {
  const groups = new Map<string, MirroredGroup & { readonly endpoints: Endpoint[] }>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of subsets) {
    const ports = portsOf(subset);
    const keys = { IPv4: groupKey('IPv4', ports), IPv6: groupKey('IPv6', ports) };
    let mirrored = 0;
    for (const [address, ready] of addressesOf(subset)) {
      const addressType = familyOf(address.ip);
      if (mirrored >= MAX_ADDRESSES) {
        skipped++;
        continue;
      }
      if (addressType === undefined) {
        invalid++;
        continue;
      }
      const key = keys[addressType];
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
      groups.set(key, group);
      // Subsets with the same ports share a slice, up to its capacity.
      if (group.endpoints.length >= MAX_ADDRESSES) skipped++;
      else group.endpoints.push(endpointOf(address, ready));
      mirrored++;
    }
  }
  return { groups: [...groups.values()], invalid, skipped };
}

function addressesOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): [EndpointAddress, boolean][] {
  return [
    ...addresses.map((address): [EndpointAddress, boolean] => [address, true]),
    ...notReadyAddresses.map((address): [EndpointAddress, boolean] => [address, false]),
  ];
}

function familyOf(address: string): 'IPv4' | 'IPv6' | undefined {
  if (isIPv4(address)) return 'IPv4';
  return isIPv6(address) ? 'IPv6' : undefined;
}

function portsOf({ ports = [] }: EndpointSubset): DiscoveryV1EndpointPort[] {
  return ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  }));
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef }),
  };
}
