import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { findOverlaps } from './address-plan.ts';
import { overlaps, parseCidr } from './cidr.ts';
import { durationMs } from './duration.ts';
import { nodesOfPodRange, nodesOfSubnet } from './node-capacity.ts';

/** Pod networks that leave Services to kube-proxy. */
const NEEDS_KUBE_PROXY: readonly string[] = ['canal'];
/** Longer than this, and nobody remembers what a snapshot was of. */
const MAX_SNAPSHOT_INTERVAL_MS = 7 * 24 * 3_600_000;
/** Its tenth address is that of the cluster's DNS, and kube-apiserver takes no fewer than 8. */
const MAX_SERVICE_PREFIX_LENGTH = 28;
/** Addresses that stay within a machine, are nobody's, or everybody's. */
const UNROUTABLE = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map(parseCidr);
/** A node that restarts its kubelet is NotReady for less. */
const MIN_NOT_READY_MS = 60_000;

/** What the operator must fix before clusters of the plan can work; empty for a valid plan. */
export function planProblems({ spec }: Plan): string[] {
  return [
    ...controlPlaneProblems(spec),
    ...etcdProblems(spec),
    ...optionProblems(spec),
    ...addressProblems(spec),
    ...nodeProblems(spec),
  ];
}

function controlPlaneProblems({ controlPlane }: PlanSpec): string[] {
  const { topology, replicas } = controlPlane;
  const problems: string[] = [];
  if (topology === 'MultiZone' && replicas < 3) {
    problems.push(`spec.controlPlane.replicas: ${replicas}: MultiZone needs 3 at least, to survive the loss of a zone`);
  }
  if (replicas % 2 === 0) {
    problems.push(
      `spec.controlPlane.replicas: ${replicas}: must be odd: an even number of etcd members survives no more losses than one fewer`,
    );
  }
  return problems;
}

function etcdProblems({ etcd }: PlanSpec): string[] {
  const problems: string[] = [];
  if (etcd.maxMiB < etcd.baseMiB) {
    problems.push(
      `spec.etcd.maxMiB: ${etcd.maxMiB}: is less than baseMiB (${etcd.baseMiB}): raise it, or lower baseMiB`,
    );
  }
  const { interval } = etcd.snapshots ?? {};
  if (interval !== undefined && durationMs(interval) > MAX_SNAPSHOT_INTERVAL_MS) {
    problems.push(`spec.etcd.snapshots.interval: ${interval}: must be at most 168h; leave snapshots out to take none`);
  }
  return problems;
}

function optionProblems({ cni, kubeProxy, allowed, upgradeStrategy }: PlanSpec): string[] {
  const problems = [
    ...defaultProblems('spec.cni', cni.default, cni.allowed),
    ...defaultProblems('spec.kubeProxy', kubeProxy.default, kubeProxy.allowed),
  ];
  const strategies = allowed?.upgradeStrategies ?? [upgradeStrategy];
  if (!strategies.includes(upgradeStrategy)) {
    problems.push(
      `spec.upgradeStrategy: ${upgradeStrategy} is not among spec.allowed.upgradeStrategies (${strategies.join(', ')})`,
    );
  }
  if (kubeProxy.default === 'none' && NEEDS_KUBE_PROXY.includes(cni.default)) {
    problems.push(
      `spec.kubeProxy.default: none: ${cni.default}, the default of spec.cni, leaves Services to kube-proxy: choose a mode, or another pod network`,
    );
  }
  const stranded = cni.allowed.filter((type) => NEEDS_KUBE_PROXY.includes(type) && type !== cni.default);
  if (kubeProxy.allowed.every((mode) => mode === 'none') && stranded.length > 0) {
    problems.push(
      `spec.cni.allowed: ${stranded.join(', ')} needs kube-proxy, and spec.kubeProxy.allowed has none: allow a mode, or take it out`,
    );
  }
  return problems;
}

function defaultProblems(field: string, standard: string, allowed: readonly string[]): string[] {
  if (allowed.includes(standard)) return [];
  return [`${field}.default: ${standard} is not among ${field}.allowed (${allowed.join(', ')})`];
}

function addressProblems({ network, maxNodes }: PlanSpec): string[] {
  const ranges = [
    { name: 'spec.network.podCIDR', cidr: network.podCIDR, isReserved: false },
    { name: 'spec.network.serviceCIDR', cidr: network.serviceCIDR, isReserved: false },
    { name: 'spec.network.nodesCIDR', cidr: network.nodesCIDR, isReserved: false },
    ...network.reservedCIDRs.map((cidr, index) => {
      return { name: `spec.network.reservedCIDRs[${index}]`, cidr, isReserved: true };
    }),
  ];
  const problems = findOverlaps(ranges)
    .filter(({ a, b }) => !(a.isReserved && b.isReserved))
    .map(({ a, b }) => `${a.name} ${a.cidr} and ${b.name} ${b.cidr} overlap: separate them`);
  for (const { name, cidr } of ranges.filter(({ isReserved }) => !isReserved)) {
    if (!UNROUTABLE.some((range) => overlaps(range, parseCidr(cidr)))) continue;
    problems.push(`${name}: ${cidr}: has addresses that cannot be routed: choose a private range, such as 10.2.0.0/16`);
  }
  if (parseCidr(network.serviceCIDR).prefixLength > MAX_SERVICE_PREFIX_LENGTH) {
    problems.push(
      `spec.network.serviceCIDR: ${network.serviceCIDR}: must be a /${MAX_SERVICE_PREFIX_LENGTH} or larger: the API server and DNS have an address in it too`,
    );
  }
  const withPods = nodesOfPodRange(network.podCIDR);
  if (withPods < maxNodes) {
    problems.push(
      `spec.maxNodes: ${maxNodes}: spec.network.podCIDR ${network.podCIDR} has a /24 of pods for ${withPods} nodes: lower it, or choose a larger range`,
    );
  }
  const withAddress = nodesOfSubnet({ cidr: network.nodesCIDR, gatewayIP: 'the first', hasLoadBalancers: true });
  if (withAddress < maxNodes) {
    problems.push(
      `spec.maxNodes: ${maxNodes}: spec.network.nodesCIDR ${network.nodesCIDR} has addresses for ${withAddress} nodes: lower it, or choose a larger range`,
    );
  }
  return problems;
}

function nodeProblems({ drainTimeout, maxDrainTimeout, healing, allowed }: PlanSpec): string[] {
  const problems: string[] = [];
  if (maxDrainTimeout !== undefined && durationMs(drainTimeout) > durationMs(maxDrainTimeout)) {
    problems.push(`spec.drainTimeout: ${drainTimeout}: is more than maxDrainTimeout (${maxDrainTimeout})`);
  }
  const strategies = allowed?.healingStrategies ?? [healing.strategy];
  if (!strategies.includes(healing.strategy)) {
    problems.push(
      `spec.healing.strategy: ${healing.strategy} is not among spec.allowed.healingStrategies (${strategies.join(', ')})`,
    );
  }
  if (durationMs(healing.notReadyTimeout) < MIN_NOT_READY_MS) {
    problems.push(
      `spec.healing.notReadyTimeout: ${healing.notReadyTimeout}: must be at least 1m: nodes that restart would be healed`,
    );
  }
  return problems;
}
