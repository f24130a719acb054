/** The fields of a node's Ready condition that are used. */
interface ReadyCondition {
  readonly status: string;
  readonly message?: string | undefined;
}

/** The message of a container runtime without CNI configuration, as reported by kubelet. */
const NO_NETWORK_MESSAGE = /NetworkPluginNotReady|NetworkReady=false|cni plugin not initialized/;

/**
 * Whether the node lacks only a pod network, according to its kubelet. A tenant may forge the condition, so it affects
 * only messages and how long Fairway waits.
 */
export function lacksOnlyNetwork(ready: ReadyCondition | undefined): boolean {
  return ready?.status === 'False' && NO_NETWORK_MESSAGE.test(ready.message ?? '');
}
