import { Events } from '@fairway/kube/kinds/resources';
import type { Member } from '@fairway/openstack/types/load-balancer';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from './load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };

/**
 * The tests' API server accepts any `ipFamilies`, like the API server of a cluster with Service ranges of both
 * families.
 */
export const DUAL_STACK = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
export const PREFER_DUAL_STACK = { ...DUAL_STACK, ipFamilyPolicy: 'PreferDualStack' };
export const PROVIDER = 'loadbalancer.fairway.dev/provider';
export const V4 = '198.51.100.0/24';
export const V6 = '2001:db8::/32';

/** `version`: minor version of Octavia's API. */
export function startWithVersion(version = 28): Promise<LoadBalancedFairway> {
  return LoadBalancedFairway.start({ cloud: { latency, loadBalancerVersion: version } });
}

/** Creates an IPv6 subnet in the cluster's own network. */
export async function makeSubnet({ clock, fairway, network }: LoadBalancedFairway): Promise<string> {
  const { status } = await clock.during(fairway.clusterReady());
  const network_id = status?.network?.networkID ?? '';
  return (await network.subnets.create({ network_id, ip_version: 6, cidr: 'fd00:7::/64', name: 'six' })).id;
}

/** Adds an address in the subnet to all nodes; a list of servers shows it a minute later. */
export async function assignNodeAddresses({ clock, network }: LoadBalancedFairway, subnetID: string): Promise<void> {
  for await (const { id, device_owner, fixed_ips } of network.ports.list()) {
    if (!device_owner.startsWith('compute:')) continue;
    await network.ports.update(id, { fixed_ips: [...fixed_ips, { subnet_id: subnetID }] });
  }
  await clock.pass(120_000);
}

const maskHost = (address: string) => address.replace(/\d+$|[0-9a-f]+$/, '*');

/** The addresses and readiness reported in a Service's status. */
export async function servedAddresses(fairway: LoadBalancedFairway, name = 'web') {
  const { status, metadata } = await fairway.get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');
  return {
    at: (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => maskHost(ip)),
    ready: ready && `${ready.status} ${ready.message}`.trim(),
    note: metadata.annotations?.['loadbalancer.openstack.org/load-balancer-address'],
  };
}

/** Warnings about all Services. */
export async function warningsOf({ clusterUid, fairway }: LoadBalancedFairway): Promise<readonly string[]> {
  const { items } = await fairway.runtime.client(clusterUid).resource(Events).list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason} ${message}`);
}

/** The only load balancer with its parts. */
export async function onlyTree(fairway: LoadBalancedFairway) {
  const [tree, ...others] = await fairway.trees();
  if (tree === undefined || others.length > 0) throw new Error(`there are ${others.length} others`);
  return tree;
}

export async function sourceRangesOf(fairway: LoadBalancedFairway) {
  return (await onlyTree(fairway)).listeners.map(({ allowed_cidrs }) => (allowed_cidrs ?? []).toSorted());
}

export async function memberAddressesOf(fairway: LoadBalancedFairway, protocol: string): Promise<readonly string[]> {
  const { pools, members } = await onlyTree(fairway);
  const found: readonly Member[] = members[pools.findIndex((pool) => pool.protocol === protocol)] ?? [];
  return found.map(({ address }) => maskHost(address)).toSorted();
}
