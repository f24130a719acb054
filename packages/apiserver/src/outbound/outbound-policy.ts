/** Type of a destination: `cluster` for endpoints of Services, `controlplane` for URLs. As in kube-apiserver's EgressSelectorConfiguration. */
export type OutboundKind = 'cluster' | 'controlplane';

/**
 * Why the server must not connect to an address; undefined if it may. Webhook authors choose the addresses that the
 * server connects to, so addresses in the operator's network must be allowed by the operator.
 */
export type OutboundPolicy = (kind: OutboundKind, address: string, port: number) => string | undefined;

/** Default for servers without a policy. */
export const denyAll: OutboundPolicy = () => 'this server calls nobody';
