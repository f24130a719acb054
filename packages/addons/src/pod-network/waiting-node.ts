/** What is known of a node's condition Ready. */
interface ReadyCondition {
  readonly status: string;
  readonly message?: string | undefined;
}

/** A container runtime's words for a node without CNI configuration, which kubelet passes on. */
const NO_NETWORK = /NetworkPluginNotReady|NetworkReady=false|cni plugin not initialized/;

/** Whether all that a node lacks, as kubelet has it, is a pod network. A tenant may write it: no more is made of it than words and patience. */
export function waitsForNetwork(ready: ReadyCondition | undefined): boolean {
  return ready?.status === 'False' && NO_NETWORK.test(ready.message ?? '');
}
