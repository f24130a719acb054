/** Node ports that API servers connect to. */

export const KUBELET_PORT = 10_250;
/**
 * metrics-server runs on the host network and listens on its upstream default port, so that API servers can reach it.
 */
export const METRICS_SERVER_PORT = 4443;
