import type { machineAddresses } from '@fairway/tenancy/machine-addresses';

/** Set by a kubelet with `--node-ip`: an address, or one for each IP version separated by a comma. */
const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

type Addresses = ReturnType<typeof machineAddresses>;

/** The addresses that the kubelet selects; undefined if it selects none. */
export function providedNodeIPs(annotations: Readonly<Record<string, string>> = {}): readonly string[] | undefined {
  const text = annotations[PROVIDED_NODE_IP];
  return text ? text.split(',', 2).map((address) => address.trim()) : undefined;
}

/**
 * The addresses in `provided` that the server does not have. A kubelet may choose only from its server's addresses.
 */
export function foreignNodeIPs(provided: readonly string[], addresses: Addresses): readonly string[] {
  return provided.filter(
    (desired) => !addresses.some(({ type, address }) => type !== 'Hostname' && address === desired),
  );
}

/**
 * The server's addresses, filtered by the kubelet's selection: a selected address is the only one of its type, as in
 * `GetNodeAddressesFromNodeIP` of k8s.io/cloud-provider. Addresses of other servers are ignored, whereas upstream does
 * not initialize a node that selects one.
 */
export function selectedAddresses(addresses: Addresses, provided: readonly string[] | undefined): Addresses {
  if (provided === undefined || foreignNodeIPs(provided, addresses).length > 0) return addresses;
  const isSelected = ({ type, address }: Addresses[number]) => type !== 'Hostname' && provided.includes(address);
  const chosen = provided.flatMap((desired) =>
    addresses.filter((each) => isSelected(each) && each.address === desired),
  );
  const types = new Set(chosen.map(({ type }) => type));
  return [...chosen, ...addresses.filter(({ type }) => !types.has(type))];
}
