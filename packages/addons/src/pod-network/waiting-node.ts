/** The fields used from a node's Ready condition. */
interface ReadyCondition {
  readonly status: string;
  readonly message?: string | undefined;
}

/** The message of a container runtime that has no CNI configuration, as reported by the kubelet. */
const NO_NETWORK_MESSAGE = /NetworkPluginNotReady|NetworkReady=false|cni plugin not initialized/;

/**
 * Whether a pod network is all that the node lacks, according to its kubelet. A tenant can forge the condition, so it
 * affects only messages and how long Fairway waits.
 */
export function lacksOnlyNetwork(ready: ReadyCondition | undefined): boolean {
  return ready?.status === 'False' && NO_NETWORK_MESSAGE.test(ready.message ?? '');
}
