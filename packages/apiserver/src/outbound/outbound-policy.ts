/** Who names a destination: `cluster` for endpoints of Services, `controlplane` for URLs. As in kube-apiserver's EgressSelectorConfiguration. */
export type OutboundKind = 'cluster' | 'controlplane';

/**
 * Why the server must not connect to an address; undefined if it may. Whoever writes a webhook chooses where the server connects to, so what is
 * in the network of its operator is the operator's to allow.
 */
export type OutboundPolicy = (kind: OutboundKind, address: string, port: number) => string | undefined;

/** Of servers without a policy. */
export const nothingAllowed: OutboundPolicy = () => 'this server calls nobody';
