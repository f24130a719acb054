import { compareVersions, minorOf, partsOf } from '@fairway/api/domain/version-numbers';
import { isOfReleaseLine } from './cilium/release-line.ts';

/** The oldest minor version of Kubernetes that add-ons support. */
const OLDEST_MINOR = 31;
/**
 * How many minor versions kube-proxy may be older than the API server:
 * https://kubernetes.io/releases/version-skew-policy/#kube-proxy
 */
const MAX_PROXY_SKEW = 3;

/**
 * CoreDNS version by Kubernetes minor version: kubeadm's constant CoreDNSVersion in the last patch of each minor
 * version.
 */
const CORE_DNS_VERSIONS: Readonly<Record<string, string>> = {
  '1.31': '1.11.3',
  '1.32': '1.11.3',
  '1.33': '1.12.0',
  '1.34': '1.12.1',
  '1.35': '1.13.1',
  '1.36': '1.14.2',
};

const NEWEST_CORE_DNS = '1.14.2';

/** Calico version by Kubernetes minor version: the last patch of a Calico release that supports it. */
const CALICO_VERSIONS: Readonly<Record<string, string>> = {
  '1.31': '3.30.7',
  '1.32': '3.30.7',
  '1.33': '3.30.7',
};

const NEWEST_CALICO = '3.31.7';

/**
 * One metrics-server version for all these minor versions: it connects only to nodes, through APIs that all Kubernetes
 * versions support.
 */
export const FLANNEL_VERSION = '0.28.10';

/**
 * Cilium version by Kubernetes minor version: the newest release line that upstream tests with it. Consecutive
 * versions differ by at most one line, as upstream requires for upgrades.
 */
const CILIUM_VERSIONS: Readonly<Record<string, string>> = {
  '1.31': '1.18.14',
  '1.32': '1.19.8',
};

const NEWEST_CILIUM = '1.20.2';

/**
 * The first Kubernetes minor version that metrics-server 0.9 supports; 0.8 supports earlier versions:
 * https://github.com/kubernetes-sigs/metrics-server#compatibility-matrix
 */
const METRICS_SERVER_0_9_MINOR = 34;

/**
 * cinder-csi-plugin version by Kubernetes minor version: upstream has a release for each minor version. Before 1.32,
 * the plugin's node service needs a credential.
 */
const CINDER_CSI_VERSIONS: Readonly<Record<string, string>> = {
  '1.31': '1.32.1',
  '1.32': '1.32.1',
  '1.33': '1.33.1',
  '1.34': '1.34.1',
  '1.35': '1.35.0',
};

const NEWEST_CINDER_CSI = '1.36.0';
/** The first minor version of cinder-csi-plugin that needs no credential on nodes. */
const MIN_MINOR_WITHOUT_CREDENTIAL = 32;

/** The sidecars from upstream's manifests, which support all versions of the kubelet's registration API. */
export const REGISTRAR_VERSION = '2.15.0';
export const LIVENESS_PROBE_VERSION = '2.17.0';

const EXACT_VERSION = /^1\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$/;

/** Whether Fairway has add-ons for this Kubernetes version. */
export function hasAddons(version: string): boolean {
  return EXACT_VERSION.test(version) && partsOf(version).minor >= OLDEST_MINOR;
}

/** The CoreDNS version for a control plane at this version, unless the operator's catalogue specifies another. */
export function coreDnsVersion(version: string): string {
  return CORE_DNS_VERSIONS[minorOf(version)] ?? NEWEST_CORE_DNS;
}

/** Like `coreDnsVersion`, for Calico. */
export function calicoVersion(version: string): string {
  return CALICO_VERSIONS[minorOf(version)] ?? NEWEST_CALICO;
}

/**
 * Like `coreDnsVersion`, for Cilium. `pinned` is the version in the operator's catalogue. It is ignored if its release
 * line is older than the default's, because upgrading to the next Kubernetes version would then skip a line.
 */
export function ciliumVersion(version: string, pinned: string | undefined): string {
  const own = CILIUM_VERSIONS[minorOf(version)] ?? NEWEST_CILIUM;
  return pinned !== undefined && isOfReleaseLine(pinned, minorOf(own)) ? pinned : own;
}

/**
 * Like `coreDnsVersion`, for cinder-csi-plugin. `pinned` is the version in the operator's catalogue; it is ignored if
 * it needs a credential.
 */
export function cinderCsiVersion(version: string, pinned: string | undefined): string {
  const isUsable =
    pinned !== undefined && !(EXACT_VERSION.test(pinned) && partsOf(pinned).minor < MIN_MINOR_WITHOUT_CREDENTIAL);
  return isUsable ? pinned : (CINDER_CSI_VERSIONS[minorOf(version)] ?? NEWEST_CINDER_CSI);
}

/**
 * The metrics-server version for a control plane at this version, unless the operator's catalogue specifies another.
 */
export function metricsServerVersion(version: string): string {
  return partsOf(version).minor >= METRICS_SERVER_0_9_MINOR ? '0.9.0' : '0.8.1';
}

/**
 * The kube-proxy version: that of the oldest node, so that kube-proxy is updated after all nodes, but never newer
 * than the API server. Nodes report their own versions, so a version that is incompatible with the API server is
 * ignored.
 */
export function kubeProxyVersion(version: string, oldestNodeVersion: string | undefined): string {
  if (oldestNodeVersion === undefined || !EXACT_VERSION.test(oldestNodeVersion)) return version;
  if (compareVersions(oldestNodeVersion, version) >= 0) return version;
  const isWithinSkew = partsOf(version).minor - partsOf(oldestNodeVersion).minor <= MAX_PROXY_SKEW;
  return isWithinSkew ? oldestNodeVersion : version;
}
