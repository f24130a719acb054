import type { AddonFacts } from '@fairway/addons/addon';
import { isCniInstalled } from '@fairway/api/domain/cni-installer';
import { storageLimits } from '@fairway/api/domain/plan-storage';
import { componentsOf } from '@fairway/api/domain/release-components';
import { dayOf } from '@fairway/api/domain/usage/amounts';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { type InClusterLimits, inClusterLimits } from '@fairway/api/limits/in-cluster';
import { CLUSTER_DOMAIN, clusterDnsAddress } from '@fairway/control-plane/bootstrap/kubelet';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';

/**
 * What a cluster's add-ons depend on; undefined until that is known. Versions are those running, not those requested.
 */
export function addonFacts(
  { spec, status }: Pick<Cluster, 'spec' | 'status'>,
  releases: readonly KubernetesRelease[],
  plan: (InClusterLimits & Partial<Pick<PlanSpec, 'limitPolicies'>>) | undefined,
  { reachesNodes }: Pick<ControlPlaneRuntime, 'reachesNodes'>,
  nowMs: number,
): AddonFacts | undefined {
  const { version, url, podCIDR, serviceCIDR, cni, cniInstaller, kubeProxyMode, nodes } = status ?? {};
  if (version === undefined || url === undefined || podCIDR === undefined || plan === undefined) return undefined;
  if (serviceCIDR === undefined || kubeProxyMode === undefined) return undefined;
  const components = componentsOf(version, releases);
  return {
    version,
    oldestNodeVersion: isKnown(nodes?.oldestVersion, releases) ? nodes?.oldestVersion : undefined,
    coreDnsVersion: components['coredns'],
    calicoVersion: components['calico'],
    flannelVersion: components['flannel'],
    ciliumVersion: components['cilium'],
    podNetwork: cniInstaller === 'Fairway' && isCniInstalled(cni) ? cni : undefined,
    metricsServerVersion: components['metrics-server'],
    cinderCsiVersion: components['cinder-csi'],
    storage: storageLimits(plan),
    hasPolicyFile: plan.limitPolicies === 'Manifests' && status?.limitPolicies?.mode === 'Manifests',
    limits: inClusterLimits(plan),
    today: dayOf(nowMs),
    reachesNodes,
    server: url,
    podCIDR,
    dnsAddress: clusterDnsAddress(serviceCIDR),
    dnsDomain: CLUSTER_DOMAIN,
    kubeProxy: { ...spec.kubeProxy, mode: kubeProxyMode },
    hasSeveralNodes: (nodes?.desired ?? 0) > 1,
    nodeCount: nodes?.desired ?? 0,
  };
}

/**
 * Whether the catalogue contains the version. Nodes report their version themselves, and it becomes part of an image
 * name: an image for a version outside the catalogue may not exist.
 */
function isKnown(version: string | undefined, releases: readonly KubernetesRelease[]): boolean {
  return releases.some(({ spec }) => spec.patches.some((patch) => patch.version === version));
}
