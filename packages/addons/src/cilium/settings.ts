import { isOfLine } from './line.ts';
import { BPF_ROOT, CGROUP_ROOT, CNI_CONFIG_MOUNT, HOST_PROC } from './paths.ts';

/** What the settings of Cilium depend on. */
export interface SettingFacts {
  /** Without `v`. */
  readonly version: string;
  /** Whether Cilium does kube-proxy's work, because there is none. */
  readonly replacesKubeProxy: boolean;
}

/** Where the operator tells of its health. */
export const OPERATOR_PORT = 9234;

/** The taint that a tenant's pool may give new nodes until Cilium runs there; the operator takes it away. */
const STARTUP_TAINT = 'node.cilium.io/agent-not-ready';

/**
 * `data` of the ConfigMap, which agents and operator read. A key is here where upstream's chart differs from what the programs do without it, where it
 * says what was chosen here, or where nothing but the chart says what they do without it.
 */
export function settings({ version, replacesKubeProxy }: SettingFacts): Record<string, string> {
  return {
    ...NETWORK,
    ...DATAPATH,
    ...POLICIES,
    ...OPERATION,
    'kube-proxy-replacement': String(replacesKubeProxy),
    ...(isOfLine(version, '1.20') && { 'envoy-xds-mode': 'ads' }),
  };
}

/** Each node's share of `podCIDR`, as kube-controller-manager gives it, and VXLAN between nodes. No MTU: the agent takes that of the node's devices, less the tunnel's. */
const NETWORK = {
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
  // Only then is the node Ready.
  'write-cni-conf-when-ready': `${CNI_CONFIG_MOUNT}/05-cilium.conflist`,
  'cni-log-file': '/var/run/cilium/cilium-cni.log',
};

const DATAPATH = {
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

const POLICIES = {
  'enable-policy': 'default',
  'enable-k8s-networkpolicy': 'true',
  'enable-non-default-deny-policies': 'true',
  'enable-well-known-identities': 'false',
  'identity-allocation-mode': 'crd',
  // Envoy starts within the agent with the first policy that needs it.
  'enable-l7-proxy': 'true',
  'external-envoy-proxy': 'false',
  'dnsproxy-enable-transparent-mode': 'true',
  'mesh-auth-enabled': 'false',
};

/** Nothing listens that nobody asks: no Hubble, no metrics, the operator's health on the node's loopback alone. */
const OPERATION = {
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
  // A node without CNI configuration is not Ready anyway; a taint for each restart of an agent would have autoscalers make nodes.
  'set-cilium-node-taints': 'false',
  // No pod of such a cluster is older than its network: none has to be deleted.
  'unmanaged-pod-watcher-interval': '0',
};
