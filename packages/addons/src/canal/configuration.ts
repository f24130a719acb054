import type { AddonFacts } from '../addon.ts';

/** Keys in the ConfigMap. */
export const CNI_KEY = 'cni_network_config';
export const FLANNEL_KEY = 'net-conf.json';

/** The file name for the CNI configuration: a node uses the first file in the directory. */
export const CNI_FILE = '10-canal.conflist';

/** Placeholders that the installer replaces with the node's values. */
const KUBECONFIG_PATH = '__KUBECONFIG_FILEPATH__';
const NODE_NAME = '__KUBERNETES_NODE_NAME__';

/**
 * A node's CNI configuration. Pods get addresses from the node's own range, and interfaces that Felix finds by name.
 * MTU 0 lets Felix determine the MTU.
 */
export function cniConfiguration(): string {
  return json({
    name: 'k8s-pod-network',
    cniVersion: '1.0.0',
    plugins: [
      {
        type: 'calico',
        log_level: 'info',
        log_file_path: '/var/log/calico/cni/cni.log',
        datastore_type: 'kubernetes',
        nodename: NODE_NAME,
        mtu: 0,
        ipam: { type: 'host-local', subnet: 'usePodCidr' },
        policy: { type: 'k8s' },
        kubernetes: { kubeconfig: KUBECONFIG_PATH },
      },
      { type: 'portmap', snat: true, capabilities: { portMappings: true } },
      { type: 'bandwidth', capabilities: { bandwidth: true } },
    ],
  });
}

/** Settings of the overlay: the range for all pods, and how packets travel between nodes. */
export function overlayConfiguration({ podCIDR }: Pick<AddonFacts, 'podCIDR'>): string {
  return json({ Network: podCIDR, Backend: { Type: 'vxlan' } });
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
