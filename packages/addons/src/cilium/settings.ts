import { BPF_ROOT, CGROUP_ROOT, CNI_CONFIG_MOUNT, HOST_PROC } from './paths.ts';
import { isOfReleaseLine } from './release-line.ts';

/** The inputs for Cilium's settings. */
export interface SettingFacts {
  /** Without `v`. */
  readonly version: string;
  /** Whether Cilium replaces kube-proxy, because the cluster has none. */
  readonly replacesKubeProxy: boolean;
}

/** The operator's health endpoint. */
export const OPERATOR_PORT = 9234;

/** The taint that a tenant's pool may set on new nodes until Cilium runs on them; the operator removes it. */
const STARTUP_TAINT = 'node.cilium.io/agent-not-ready';

/**
 * `data` of the ConfigMap that the agents and the operator read. It contains a key if upstream's chart differs from the
 * binaries' default, if the key records a choice made here, or if only the chart documents the default.
 */
export function settings({ version, replacesKubeProxy }: SettingFacts): Record<string, string> {
  return {
    ...NETWORK_SETTINGS,
    ...DATAPATH_SETTINGS,
    ...POLICY_SETTINGS,
    ...OPERATION_SETTINGS,
    'kube-proxy-replacement': String(replacesKubeProxy),
    ...(isOfReleaseLine(version, '1.20') && { 'envoy-xds-mode': 'ads' }),
  };
}

/**
 * Each node gets its share of `podCIDR` from kube-controller-manager, and nodes connect through VXLAN. The MTU is
 * unset: the agent uses the MTU of the node's devices, minus the tunnel's overhead.
 */
const NETWORK_SETTINGS = {
  ipam: 'kubernetes',
  'enable-ipv4': 'true',
  'enable-ipv6': 'false',
  'enable-ipv4-masquerade': 'true',
  'routing-mode': 'tunnel',
  'tunnel-protocol': 'vxlan',
  'cluster-name': 'default',
  'cluster-id': '0',
  'custom-cni-conf': 'false',
  'cni-exclusive': 'true',
  // The node becomes Ready only once this file exists.
  'write-cni-conf-when-ready': `${CNI_CONFIG_MOUNT}/05-cilium.conflist`,
  'cni-log-file': '/var/run/cilium/cilium-cni.log',
};

const DATAPATH_SETTINGS = {
  'datapath-mode': 'veth',
  'bpf-lb-sock': 'false',
  'bpf-lb-map-max': '65536',
  'bpf-policy-map-max': '16384',
  'bpf-map-dynamic-size-ratio': '0.0025',
  'preallocate-bpf-maps': 'false',
  'enable-source-ip-verification': 'true',
  'bpf-root': BPF_ROOT,
  'cgroup-root': CGROUP_ROOT,
  procfs: HOST_PROC,
};

const POLICY_SETTINGS = {
  'enable-policy': 'default',
  'enable-k8s-networkpolicy': 'true',
  'enable-non-default-deny-policies': 'true',
  'enable-well-known-identities': 'false',
  'identity-allocation-mode': 'crd',
  // Envoy starts inside the agent when the first policy needs it.
  'enable-l7-proxy': 'true',
  'external-envoy-proxy': 'false',
  'dnsproxy-enable-transparent-mode': 'true',
  'mesh-auth-enabled': 'false',
};

/**
 * No unrequested endpoints: no Hubble, no metrics, and the operator's health endpoint only on the node's loopback
 * address.
 */
const OPERATION_SETTINGS = {
  debug: 'false',
  'enable-hubble': 'false',
  'enable-health-checking': 'true',
  'enable-endpoint-health-checking': 'true',
  'monitor-aggregation': 'medium',
  'monitor-aggregation-interval': '5s',
  'monitor-aggregation-flags': 'all',
  'operator-api-serve-addr': `127.0.0.1:${OPERATOR_PORT}`,
  'synchronize-k8s-nodes': 'true',
  'set-cilium-is-up-condition': 'true',
  'agent-not-ready-taint-key': STARTUP_TAINT,
  'remove-cilium-node-taints': 'true',
  // The taint is unnecessary, because a node without CNI configuration is not Ready. Setting it each time an agent
  // restarts would make autoscalers create nodes.
  'set-cilium-node-taints': 'false',
  // Pods in such a cluster are never older than its pod network, so no pod needs to be deleted.
  'unmanaged-pod-watcher-interval': '0',
};
