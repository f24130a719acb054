import type { MachineSize } from '@fairway/api/domain/reserved-resources';
import type { RegistryMirrors } from '@fairway/api/kinds/cluster-nodes';
import type { KubeletSettings } from '@fairway/api/kinds/kubelet-settings';
import type { Taint } from '@fairway/api/kinds/node-pool';
import type { AdditionalInterface } from './additional-interfaces.ts';
import type { NodeSettings } from './node-settings.ts';

/** Everything a new server needs to become a node. */
export interface NodeConfig extends Omit<NodeSettings, 'registryMirrors'> {
  /** The cluster's mirrors precede the operator's. */
  readonly registryMirrors?: RegistryMirrors | undefined;
  /** Range of the nodes' subnet. */
  readonly nodesCIDR?: string | undefined;
  /** Name and hostname of the server, and name of the Node. */
  readonly nodeName: string;
  /** URL of the API server. */
  readonly server: string;
  /** PEM bundle of the cluster's CAs. */
  readonly certificateAuthority: string;
  /** `id.secret`. */
  readonly bootstrapToken: string;
  /** Exact Kubernetes version, such as `1.34.2`. */
  readonly version: string;
  /** Versions of `containerd` and `pause`, from the KubernetesRelease. */
  readonly components: { readonly containerd: string; readonly pause: string };
  readonly serviceCIDR: string;
  readonly podCIDR: string;
  readonly maxPods: number;
  /** The pool's kubelet settings; the plan limits `maxPods`. */
  readonly kubelet?: KubeletSettings;
  readonly size: MachineSize;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly kubeProxyMode: string;
  /** Interfaces in the pool's networks. */
  readonly additionalInterfaces?: readonly AdditionalInterface[];
}

/** Paths on the node. */
export const NodePath = {
  bootstrapKubeconfig: '/etc/kubernetes/bootstrap-kubeconfig',
  kubeconfig: '/etc/kubernetes/kubelet.conf',
  clusterAuthority: '/etc/kubernetes/pki/ca.crt',
  kubeletConfig: '/var/lib/kubelet/config.yaml',
  kubeletFlags: '/etc/default/kubelet',
  resolvConf: '/etc/kubernetes/resolv.conf',
  containerdConfig: '/etc/containerd/config.toml',
  sysctls: '/etc/sysctl.d/90-kubernetes.conf',
  registryHosts: '/etc/containerd/certs.d',
  installScript: '/usr/local/lib/fairway/install-node',
  /** Marker file, created once the script has succeeded. */
  installed: '/var/lib/fairway/node-installed',
} as const;

/** The unit that installs the node's software. */
export const INSTALL_UNIT = 'fairway-node.service';

export const CONTAINERD_SOCKET = 'unix:///run/containerd/containerd.sock';
