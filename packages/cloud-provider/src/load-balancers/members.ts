import { isIP } from 'node:net';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { usesMemberFamily } from './provider-limits.ts';

/** A node as a member: its Kubernetes state, and its server's addresses according to the cloud. */
export interface MemberNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  readonly isDeleting: boolean;
  /** Internal addresses first, those in the node subnet before others. */
  readonly addresses: readonly string[];
}

/** https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers */
const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** Taint that cluster-autoscaler puts on a node that it is about to remove. */
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

type MemberSelection = Pick<LoadBalancerSpec, 'nodeSelector' | 'families'>;

/** A node's address, with its name for messages. */
export interface MemberAddress {
  readonly node: string;
  readonly address: string;
}

/**
 * The nodes that receive traffic, by name, each with its first address of the first family that it has. Readiness is
 * ignored, because monitors or kube-proxy handle it.
 */
export function memberAddresses(
  nodes: Iterable<MemberNode>,
  { nodeSelector, families }: MemberSelection,
): readonly MemberAddress[] {
  const found: MemberAddress[] = [];
  const seen = new Set<string>();
  for (const node of nodes) {
    if (node.isDeleting || isExcluded(node) || !isSelected(node, nodeSelector)) continue;
    const [address] = families.flatMap((family) => node.addresses.find((each) => isIP(each) === family) ?? []);
    // Octavia rejects two members with the same address.
    if (address === undefined || seen.has(address)) continue;
    seen.add(address);
    found.push({ node: node.name, address });
  }
  return found.sort((a, b) => (a.node < b.node ? -1 : 1));
}

/** The nodes that receive traffic, with one address for each family that they have. */
export function membersByFamily(nodes: Iterable<MemberNode>, balancerSpec: MemberSelection): readonly MemberAddress[] {
  const all = [...nodes];
  return balancerSpec.families.flatMap((family) => memberAddresses(all, { ...balancerSpec, families: [family] }));
}

/** Describes ports that have no members with an address in a family even though nodes exist. */
export function unservedFamilies(
  nodes: readonly MemberNode[],
  balancerSpec: MemberSelection & Pick<LoadBalancerSpec, 'provider' | 'ports'>,
): readonly string[] {
  const { families, ports } = balancerSpec;
  // Nodes without an IPv4 address are still starting.
  if (
    families.every((family) => family === 4) ||
    memberAddresses(nodes, { ...balancerSpec, families: [4, 6] }).length === 0
  ) {
    return [];
  }
  return families.flatMap((family) => {
    if (memberAddresses(nodes, { ...balancerSpec, families: [family] }).length > 0) return [];
    const unserved = ports.filter((port) => families.length === 1 || usesMemberFamily(port, balancerSpec));
    if (unserved.length === 0) return [];
    const names = unserved.map(({ listenerProtocol, port }) => `${listenerProtocol}/${port}`).join(', ');
    return [`the IPv${family} address has no backends on ${names}: no node has an IPv${family} address`];
  });
}

/** As in k8s.io/cloud-provider, the label's value is honored only if it is a boolean. */
function isExcluded({ labels, taints }: MemberNode): boolean {
  const label = labels[EXCLUDED_LABEL];
  const isKept = label !== undefined && /^(0|f|false)$/i.test(label);
  return (label !== undefined && !isKept) || taints.includes(TO_BE_DELETED_TAINT);
}

function isSelected({ labels }: MemberNode, selector: LoadBalancerSpec['nodeSelector']): boolean {
  return [...selector].every(([name, value]) => {
    const label = labels[name];
    return label !== undefined && (value === null || label === value);
  });
}
