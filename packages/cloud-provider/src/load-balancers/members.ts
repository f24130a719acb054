import { isIP } from 'node:net';
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

/** A node's address, and its name for people. */
export interface MemberAddress {
  readonly node: string;
  readonly address: string;
}

/** The nodes that get traffic, by name. Readiness does not count: a monitor judges that, or kube-proxy. */
export function memberAddresses(
  nodes: Iterable<MemberNode>,
  { nodeSelector, family }: Pick<Wishes, 'nodeSelector' | 'family'>,
): readonly MemberAddress[] {
  const found: MemberAddress[] = [];
  const seen = new Set<string>();
  for (const node of nodes) {
    if (node.isDeleting || isExcluded(node) || !isSelected(node, nodeSelector)) continue;
    const address = node.addresses.find((each) => isIP(each) === family);
    // Two members with one address are refused.
    if (address === undefined || seen.has(address)) continue;
    seen.add(address);
    found.push({ node: node.name, address });
  }
  return found.sort((a, b) => (a.node < b.node ? -1 : 1));
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
