/** The parts of a node's condition Ready that are needed. */
interface ReadyCondition {
  readonly status: string;
  readonly message?: string | undefined;
}

/** A container runtime's message for a node without CNI configuration, which kubelet passes on. */
const NO_NETWORK = /NetworkPluginNotReady|NetworkReady=false|cni plugin not initialized/;

/**
 * Whether, according to kubelet, the node lacks only a pod network. A tenant may forge it, so it affects only messages and how
 * long Fairway waits.
 */
export function waitsForNetwork(ready: ReadyCondition | undefined): boolean {
  return ready?.status === 'False' && NO_NETWORK.test(ready.message ?? '');
}
