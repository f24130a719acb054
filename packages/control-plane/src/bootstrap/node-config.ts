import type { MachineSize } from '@fairway/api/domain/reserved-resources';
import type { Taint } from '@fairway/api/kinds/node-pool';

/** Where apt packages come from; a cloud without way to the Internet names its own mirrors. */
export interface PackageSources {
  /** Holds `/v1.34/deb/`; `https://pkgs.k8s.io/core:/stable:` unless said otherwise. */
  readonly kubernetes?: string;
  /** Holds `/ubuntu` and `/debian`; `https://download.docker.com/linux` unless said otherwise. */
  readonly containerd?: string;
}

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts, domains and networks that are reached directly. */
  readonly noProxy: readonly string[];
}

/** What a new server needs to know to become a node. */
export interface NodeConfig {
  /** Name of server, host and node. */
  readonly nodeName: string;
  /** URL of the API server. */
  readonly server: string;
  /** PEM bundle of the cluster's authorities. */
  readonly certificateAuthority: string;
  /** `id.secret`. */
  readonly bootstrapToken: string;
  /** Exact Kubernetes version: `1.34.2`. */
  readonly version: string;
  /** Versions of `containerd` and `pause`, from the KubernetesRelease. */
  readonly components: { readonly containerd: string; readonly pause: string };
  readonly serviceCIDR: string;
  readonly podCIDR: string;
  readonly maxPods: number;
  readonly size: MachineSize;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly kubeProxyMode: string;
  /** Refuses to start on cgroup v1; kubelet's own default where it is left out. */
  readonly failCgroupV1?: boolean;
  /** Registry host → URLs to pull from instead, in order. */
  readonly registryMirrors?: Readonly<Record<string, readonly string[]>>;
  readonly proxy?: ProxySettings;
  /** PEM of authorities that the system believes in addition. */
  readonly extraCertificateAuthorities?: readonly string[];
  readonly packageSources?: PackageSources;
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
  registryHosts: '/etc/containerd/certs.d',
  installScript: '/usr/local/lib/fairway/install-node',
} as const;

export const CONTAINERD_SOCKET = 'unix:///run/containerd/containerd.sock';
