import type { Plan } from '../kinds/plan.ts';
import { findOverlaps } from './address-plan.ts';

/** What the operator must fix before clusters of the plan can work; empty for a valid plan. */
export function planProblems({ spec }: Plan): string[] {
  const problems: string[] = [];
  const { network, cni, kubeProxy } = spec;
  const ranges = [
    { name: 'spec.network.podCIDR', cidr: network.podCIDR },
    { name: 'spec.network.serviceCIDR', cidr: network.serviceCIDR },
    { name: 'spec.network.nodesCIDR', cidr: network.nodesCIDR },
  ];
  for (const { a, b } of findOverlaps(ranges)) problems.push(`${a.name} and ${b.name} overlap: separate them`);
  if (!cni.allowed.includes(cni.default)) {
    problems.push(`spec.cni.default: ${cni.default} is not among spec.cni.allowed (${cni.allowed.join(', ')})`);
  }
  if (!kubeProxy.allowed.includes(kubeProxy.default)) {
    problems.push(
      `spec.kubeProxy.default: ${kubeProxy.default} is not among spec.kubeProxy.allowed (${kubeProxy.allowed.join(', ')})`,
    );
  }
  return problems;
}
