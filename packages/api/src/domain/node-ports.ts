/** Ports of nodes that API servers connect to. */

export const KUBELET_PORT = 10_250;
/** metrics-server uses the network of its node and its upstream port for that. */
export const METRICS_SERVER_PORT = 4443;
