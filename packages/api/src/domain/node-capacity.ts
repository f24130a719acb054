import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { CidrError, parseAddress, parseCidr } from './cidr.ts';
import { effectiveNetworking } from './effective-networking.ts';
import { rolloutLimits } from './rollout-limits.ts';
import { targetReplicas } from './target-replicas.ts';

/** Prefix length of each node's share of the pod range: --node-cidr-mask-size of kube-controller-manager. */
const POD_PREFIX_LENGTH = 24;
/** Neutron gives DHCP one port per agent serving the network: two if it is highly available. */
const DHCP_ADDRESSES = 2;
/** Load balancers in the nodes' subnet may take a sixteenth of it, up to this number. */
const LOAD_BALANCER_SHARE = 16;

/** The properties of a subnet that limit how many nodes fit in it. */
export interface NodeSubnet {
  readonly cidr: string;
  /** Null or absent: no address is reserved for a gateway. */
  readonly gatewayIP?: string | null | undefined;
  /** The addresses that Neutron allocates. Absent: the whole range except the gateway's. */
  readonly allocationPools?: readonly { readonly start: string; readonly end: string }[] | undefined;
  /** Whether load balancers also get their addresses from this subnet. */
  readonly hasLoadBalancers: boolean;
}

/** How many nodes get a pod CIDR. An invalid range sets no limit: it is reported by a separate validation. */
export function nodesOfPodRange(podCIDR: string): number {
  return sizeOrUnlimited(() => 2 ** Math.max(0, POD_PREFIX_LENGTH - parseCidr(podCIDR).prefixLength));
}

/**
 * How many nodes get an address: the addresses that Neutron allocates, minus those of DHCP and the load balancers'
 * share. Other ports in the subnet are not counted.
 */
export function nodesOfSubnet({ cidr, gatewayIP, allocationPools, hasLoadBalancers }: NodeSubnet): number {
  return sizeOrUnlimited(() => {
    const { first, last } = parseCidr(cidr);
    // The first address is the network address, and the last is the broadcast address.
    const hosts = Math.max(0, last - first - 1 - (gatewayIP ? 1 : 0));
    const given = allocationPools?.reduce(
      (sum, { start, end }) => sum + parseAddress(end) - parseAddress(start) + 1,
      0,
    );
    const addresses = given ?? hosts;
    const share = hasLoadBalancers ? Math.min(LOAD_BALANCER_SHARE, Math.ceil(addresses / LOAD_BALANCER_SHARE)) : 0;
    return Math.max(0, addresses - DHCP_ADDRESSES - share);
  });
}

/** The nodes that the pools request, plus the extra ones during updates. */
export function requestedNodes(
  pools: readonly NodePool[],
  plan: Plan,
): { readonly nodes: number; readonly surge: number } {
  let nodes = 0;
  let surge = 0;
  for (const pool of pools) {
    const replicas = targetReplicas(pool);
    nodes += replicas;
    const { type = plan.spec.upgradeStrategy } = pool.spec.upgradeStrategy;
    if (type === 'Rolling' && replicas > 0) surge += rolloutLimits(pool, replicas).maxSurge;
  }
  return { nodes, surge };
}

/** A limit on the nodes of a cluster. */
export interface NodeCapacity {
  readonly nodes: number;
  /** For example `the nodes' range 192.168.0.0/28`. */
  readonly of: string;
  /** The Cluster field that sets the limit. */
  readonly field: string;
  /** What to do if the limit is too small. */
  readonly advice: string;
}

/**
 * The known limits on a cluster's nodes: the pod range and the nodes' subnet. `given` is the subnet that the cluster
 * specifies.
 */
export function nodeCapacities(
  cluster: Pick<Cluster, 'spec' | 'status'>,
  plan: Plan,
  given: NodeSubnet | undefined,
): NodeCapacity[] {
  const { podCIDR, nodesCIDR } = effectiveNetworking(cluster, plan.spec);
  const { network } = cluster.spec;
  const pods = {
    nodes: nodesOfPodRange(podCIDR),
    of: `the pods' CIDR ${podCIDR}, of which each node gets a /${POD_PREFIX_LENGTH},`,
    field: plan.spec.network.customCIDRs ? 'spec.podCIDR' : 'spec.plan',
    advice: plan.spec.network.customCIDRs
      ? 'create a cluster with a larger spec.podCIDR'
      : 'create a cluster with a plan that has a larger CIDR',
  };
  if (network.networkID !== undefined) {
    if (given === undefined) return [pods];
    const advice = 'create a cluster in a larger subnet';
    const field = network.subnetID === undefined ? 'spec.network.networkID' : 'spec.network.subnetID';
    return [pods, { nodes: nodesOfSubnet(given), of: `the nodes' subnet ${given.cidr}`, field, advice }];
  }
  const own = nodesOfSubnet({ cidr: nodesCIDR, gatewayIP: ownGateway(network.gateway), hasLoadBalancers: true });
  const advice = 'create a cluster with a larger spec.network.nodesCIDR';
  return [pods, { nodes: own, of: `the nodes' CIDR ${nodesCIDR}`, field: 'spec.network.nodesCIDR', advice }];
}

function ownGateway({ mode, address }: Cluster['spec']['network']['gateway']): string | undefined {
  return mode === 'None' ? undefined : (address ?? 'the first');
}

function sizeOrUnlimited(size: () => number): number {
  try {
    return size();
  } catch (error) {
    if (error instanceof CidrError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
