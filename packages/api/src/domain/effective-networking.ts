import type { Cluster } from '../kinds/cluster.ts';
import type { PlanSpec } from '../kinds/plan.ts';

/** What holds for a cluster where its spec, its plan or its history says so. */
export interface EffectiveNetworking {
  readonly podCIDR: string;
  readonly serviceCIDR: string;
  /** Range of the subnet that Fairway creates; without meaning where the cluster names a network. */
  readonly nodesCIDR: string;
  readonly cni: string;
  readonly kubeProxyMode: string;
}

/** What the cluster was built with comes first: a plan that changes must not move the addresses of a running cluster. */
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
