import type { machineAddresses } from '@fairway/tenancy/machine-addresses';

/** Set by a kubelet with `--node-ip`: an address, or one of each version with a comma between. */
const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

type Addresses = ReturnType<typeof machineAddresses>;

/** The addresses that the kubelet asks to be known by; undefined if it asks for none. */
export function providedNodeIPs(annotations: Readonly<Record<string, string>> = {}): readonly string[] | undefined {
  const text = annotations[PROVIDED_NODE_IP];
  return text ? text.split(',', 2).map((address) => address.trim()) : undefined;
}

/** Those of `provided` that are none of the server's. A kubelet may choose among its server's addresses, and no others. */
export function foreignNodeIPs(provided: readonly string[], addresses: Addresses): readonly string[] {
  return provided.filter((wanted) => !addresses.some(({ type, address }) => type !== 'Hostname' && address === wanted));
}

/**
 * The server's addresses as the kubelet chooses among them: a chosen one is the only one of its type, as in `GetNodeAddressesFromNodeIP` of
 * k8s.io/cloud-provider. A choice of anything else counts for nothing; upstream does not initialize such a node.
 */
export function chosenAddresses(addresses: Addresses, provided: readonly string[] | undefined): Addresses {
  if (provided === undefined || foreignNodeIPs(provided, addresses).length > 0) return addresses;
  const isChosen = ({ type, address }: Addresses[number]) => type !== 'Hostname' && provided.includes(address);
  const chosen = provided.flatMap((wanted) => addresses.filter((each) => isChosen(each) && each.address === wanted));
  const types = new Set(chosen.map(({ type }) => type));
  return [...chosen, ...addresses.filter(({ type }) => !types.has(type))];
}
