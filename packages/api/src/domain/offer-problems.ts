import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { Plan } from '../kinds/plan.ts';
import { findOverlaps } from './address-plan.ts';
import { minorOf } from './versions.ts';

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

/** Like `planProblems`, for a release. */
export function releaseProblems({ metadata, spec }: KubernetesRelease): string[] {
  const problems: string[] = [];
  if (metadata.name !== spec.minor) {
    problems.push(
      `metadata.name: ${metadata.name} must be the minor version ${spec.minor}, so that there is one release of it`,
    );
  }
  for (const { version } of spec.patches) {
    if (minorOf(version) !== spec.minor) problems.push(`spec.patches: ${version} is no version of ${spec.minor}`);
  }
  const isChoosable = spec.phase === 'Supported' || spec.phase === 'Preview';
  if (isChoosable && spec.patches.every(({ withdrawn }) => withdrawn)) {
    problems.push(`spec.patches: all are withdrawn, so that phase ${spec.phase} offers nothing`);
  }
  return problems;
}
