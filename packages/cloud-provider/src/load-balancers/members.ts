import { isIP } from 'node:net';
import { isByFamily } from './provider-limits.ts';
import type { Wishes } from './wishes.ts';

/** A node as a load balancer's member: what Kubernetes says of it, and the addresses that the cloud says its server has. */
export interface MemberNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly string[];
  readonly isDeleting: boolean;
  /** Internal ones first, those of the nodes' own subnet before others. */
  readonly addresses: readonly string[];
}

/** https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers */
const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** Of the cluster-autoscaler, on a node that it is about to remove. */
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

type Choice = Pick<Wishes, 'nodeSelector' | 'families'>;

/** A node's address, and its name for people. */
export interface MemberAddress {
  readonly node: string;
  readonly address: string;
}

/** The nodes that get traffic, by name, each by its first address of the first family that it has. Readiness does not count: a monitor judges that, or kube-proxy. */
export function memberAddresses(
  nodes: Iterable<MemberNode>,
  { nodeSelector, families }: Choice,
): readonly MemberAddress[] {
  const found: MemberAddress[] = [];
  const seen = new Set<string>();
  for (const node of nodes) {
    if (node.isDeleting || isExcluded(node) || !isSelected(node, nodeSelector)) continue;
    const [address] = families.flatMap((family) => node.addresses.find((each) => isIP(each) === family) ?? []);
    // Two members with one address are refused.
    if (address === undefined || seen.has(address)) continue;
    seen.add(address);
    found.push({ node: node.name, address });
  }
  return found.sort((a, b) => (a.node < b.node ? -1 : 1));
}

/** The same, each by an address of every family that it has. */
export function membersByFamily(nodes: Iterable<MemberNode>, wishes: Choice): readonly MemberAddress[] {
  const all = [...nodes];
  return wishes.families.flatMap((family) => memberAddresses(all, { ...wishes, families: [family] }));
}

/** Of which ports nobody is served at an address of a family although there are nodes, for people. */
export function unservedFamilies(
  nodes: readonly MemberNode[],
  wishes: Choice & Pick<Wishes, 'provider' | 'ports'>,
): readonly string[] {
  const { families, ports } = wishes;
  // Nodes without IPv4 are not there yet.
  if (
    families.every((family) => family === 4) ||
    memberAddresses(nodes, { ...wishes, families: [4, 6] }).length === 0
  ) {
    return [];
  }
  return families.flatMap((family) => {
    if (memberAddresses(nodes, { ...wishes, families: [family] }).length > 0) return [];
    const unserved = ports.filter((port) => families.length === 1 || isByFamily(port, wishes));
    if (unserved.length === 0) return [];
    const names = unserved.map(({ listenerProtocol, port }) => `${listenerProtocol}/${port}`).join(', ');
    return [`nobody is served at the IPv${family} address on ${names}: no node has an address of IPv${family}`];
  });
}

/** As k8s.io/cloud-provider: the label's value counts where it can be read as a boolean. */
function isExcluded({ labels, taints }: MemberNode): boolean {
  const label = labels[EXCLUDED_LABEL];
  const isKept = label !== undefined && /^(0|f|false)$/i.test(label);
  return (label !== undefined && !isKept) || taints.includes(TO_BE_DELETED_TAINT);
}

function isSelected({ labels }: MemberNode, selector: Wishes['nodeSelector']): boolean {
  return [...selector].every(([name, value]) => {
    const label = labels[name];
    return label !== undefined && (value === null || label === value);
  });
}
