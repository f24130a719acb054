import type { Cluster } from '../kinds/cluster.ts';
import type { PlanSpec } from '../kinds/plan.ts';

/** The effective networking, derived from a cluster's spec, plan and status. */
export interface EffectiveNetworking {
  readonly podCIDR: string;
  readonly serviceCIDR: string;
  /** The range for the subnet that Fairway creates; unused if the cluster specifies a network. */
  readonly nodesCIDR: string;
  readonly cni: string;
  readonly kubeProxyMode: string;
}

/** Status takes precedence: a changed plan must not renumber a running cluster. */
export function effectiveNetworking(
  { spec, status }: Pick<Cluster, 'spec' | 'status'>,
  plan: PlanSpec,
): EffectiveNetworking {
  return {
    podCIDR: status?.podCIDR ?? spec.podCIDR ?? plan.network.podCIDR,
    serviceCIDR: status?.serviceCIDR ?? spec.serviceCIDR ?? plan.network.serviceCIDR,
    nodesCIDR: status?.network?.nodesCIDR ?? spec.network.nodesCIDR ?? plan.network.nodesCIDR,
    cni: status?.cni ?? spec.cni.type ?? plan.cni.default,
    kubeProxyMode: status?.kubeProxyMode ?? spec.kubeProxy.mode ?? plan.kubeProxy.default,
  };
}
