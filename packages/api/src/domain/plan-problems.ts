import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { UNCONDITIONAL_LIMITS } from '../kinds/plan-limits.ts';
import { hasPattern } from '../limits/service-limits.ts';
import { findOverlaps } from './address-plan.ts';
import { overlaps, parseCidr } from './cidr.ts';
import { durationMs } from './duration.ts';
import { nodesOfPodRange, nodesOfSubnet } from './node-capacity.ts';
import { isAtLeast } from './version-numbers.ts';

/** Pod networks that need kube-proxy for Services. */
const KUBE_PROXY_CNIS: readonly string[] = ['canal'];
/** The longest interval at which snapshots are still useful. */
const MAX_SNAPSHOT_INTERVAL_MS = 7 * 24 * 3_600_000;
/** The tenth address is the cluster DNS address, and kube-apiserver requires at least 8. */
const MAX_SERVICE_PREFIX_LENGTH = 28;
/** Loopback, unspecified, link-local and multicast addresses. */
const UNROUTABLE_RANGES = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map(parseCidr);
/** A kubelet restart leaves a node NotReady for less time than this. */
const MIN_NOT_READY_MS = 60_000;

/** Errors that the operator must fix before clusters can use the plan; empty for a valid plan. */
export function planProblems({ spec }: Plan): string[] {
  return [
    ...controlPlaneProblems(spec),
    ...etcdProblems(spec),
    ...optionProblems(spec),
    ...addressProblems(spec),
    ...nodeProblems(spec),
    ...windowProblems(spec),
    ...ipFamilyProblems(spec),
    ...annotationProblems(spec),
    ...noteProblems(spec),
  ];
}

function controlPlaneProblems({ controlPlane }: PlanSpec): string[] {
  const { topology, replicas } = controlPlane;
  const problems: string[] = [];
  if (topology === 'MultiZone' && replicas < 3) {
    problems.push(
      `spec.controlPlane.replicas: ${replicas}: MultiZone requires at least 3, to survive the loss of a zone`,
    );
  }
  if (replicas % 2 === 0) {
    problems.push(
      `spec.controlPlane.replicas: ${replicas}: must be odd: an even number of etcd members tolerates no more failures than one fewer`,
    );
  }
  return problems;
}

function etcdProblems({ etcd }: PlanSpec): string[] {
  const problems: string[] = [];
  if (etcd.maxMiB < etcd.baseMiB) {
    problems.push(
      `spec.etcd.maxMiB: ${etcd.maxMiB}: must not be less than baseMiB (${etcd.baseMiB}): raise it, or lower baseMiB`,
    );
  }
  const { interval } = etcd.snapshots ?? {};
  if (interval !== undefined && durationMs(interval) > MAX_SNAPSHOT_INTERVAL_MS) {
    problems.push(`spec.etcd.snapshots.interval: ${interval}: must be at most 168h; remove snapshots to take none`);
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
      `spec.upgradeStrategy: ${upgradeStrategy} is not in spec.allowed.upgradeStrategies (${strategies.join(', ')})`,
    );
  }
  if (kubeProxy.default === 'none' && KUBE_PROXY_CNIS.includes(cni.default)) {
    problems.push(
      `spec.kubeProxy.default: none: ${cni.default}, the default of spec.cni, needs kube-proxy for Services: choose a mode, or another pod network`,
    );
  }
  const stranded = cni.allowed.filter((type) => KUBE_PROXY_CNIS.includes(type) && type !== cni.default);
  if (kubeProxy.allowed.every((mode) => mode === 'none') && stranded.length > 0) {
    problems.push(
      `spec.cni.allowed: ${stranded.join(', ')} needs kube-proxy, but spec.kubeProxy.allowed has no mode: allow one, or remove the pod network`,
    );
  }
  return problems;
}

function defaultProblems(field: string, defaultValue: string, allowed: readonly string[]): string[] {
  if (allowed.includes(defaultValue)) return [];
  return [`${field}.default: ${defaultValue} is not in ${field}.allowed (${allowed.join(', ')})`];
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
    .map(({ a, b }) => `${a.name} ${a.cidr} and ${b.name} ${b.cidr} overlap: choose CIDRs that do not overlap`);
  for (const { name, cidr } of ranges.filter(({ isReserved }) => !isReserved)) {
    if (!UNROUTABLE_RANGES.some((range) => overlaps(range, parseCidr(cidr)))) continue;
    problems.push(
      `${name}: ${cidr}: contains addresses that cannot be routed: choose a private CIDR, such as 10.2.0.0/16`,
    );
  }
  if (parseCidr(network.serviceCIDR).prefixLength > MAX_SERVICE_PREFIX_LENGTH) {
    problems.push(
      `spec.network.serviceCIDR: ${network.serviceCIDR}: must be a /${MAX_SERVICE_PREFIX_LENGTH} or larger: it also contains the addresses of the API server and DNS`,
    );
  }
  const podRangeNodes = nodesOfPodRange(network.podCIDR);
  if (podRangeNodes < maxNodes) {
    problems.push(
      `spec.maxNodes: ${maxNodes}: spec.network.podCIDR ${network.podCIDR} has a /24 for the pods of ${podRangeNodes} nodes: lower it, or choose a larger CIDR`,
    );
  }
  const subnetNodes = nodesOfSubnet({ cidr: network.nodesCIDR, gatewayIP: 'the first', hasLoadBalancers: true });
  if (subnetNodes < maxNodes) {
    problems.push(
      `spec.maxNodes: ${maxNodes}: spec.network.nodesCIDR ${network.nodesCIDR} has addresses for ${subnetNodes} nodes: lower it, or choose a larger CIDR`,
    );
  }
  return problems;
}

function windowProblems({ kubernetes: { oldest, newest } = {} }: PlanSpec): string[] {
  if (oldest === undefined || newest === undefined || isAtLeast(`${newest}.0`, oldest)) return [];
  return [`spec.kubernetes.oldest: ${oldest}: must not be newer than newest (${newest})`];
}

/** Clusters of other families cannot be built yet. */
function ipFamilyProblems({ network: { ipFamilies } }: PlanSpec): string[] {
  if (ipFamilies === undefined || ipFamilies.includes('IPv4')) return [];
  return [
    `spec.network.ipFamilies: ${ipFamilies.join(', ')}: does not include IPv4, but this release only builds IPv4 clusters: add IPv4`,
  ];
}

/** The cost of the policy in clusters would exceed Kubernetes' limit. */
function annotationProblems({ services: { refusedAnnotations = [] } = {} }: PlanSpec): string[] {
  return refusedAnnotations.flatMap((entry, index) => {
    if (!hasPattern(entry) || entry.values === undefined) return [];
    return [
      `spec.services.refusedAnnotations[${index}].values: must not be set for ${entry.key}, which is a pattern: refuse all values, or name the key`,
    ];
  });
}

function noteProblems({ limitNotes = [] }: PlanSpec): string[] {
  return limitNotes.flatMap(({ limit, value, enforcement, since, until }, index) => {
    const path = `spec.limitNotes[${index}]`;
    const isConditional = enforcement === 'Warn' || since !== undefined || until !== undefined;
    if (isConditional && UNCONDITIONAL_LIMITS.includes(limit)) {
      return [`${path}: ${limit} is always enforced: remove enforcement, since and until, or change the limit itself`];
    }
    if (since !== undefined && until !== undefined && until <= since) {
      const what = value === '' ? limit : `${limit} ${value}`;
      return [`${path}.until: ${until}: must be later than since (${since}), otherwise ${what} is never limited`];
    }
    return [];
  });
}

function nodeProblems({ drainTimeout, maxDrainTimeout, healing, allowed }: PlanSpec): string[] {
  const problems: string[] = [];
  if (maxDrainTimeout !== undefined && durationMs(drainTimeout) > durationMs(maxDrainTimeout)) {
    problems.push(`spec.drainTimeout: ${drainTimeout}: must not be more than maxDrainTimeout (${maxDrainTimeout})`);
  }
  const strategies = allowed?.healingStrategies ?? [healing.strategy];
  if (!strategies.includes(healing.strategy)) {
    problems.push(
      `spec.healing.strategy: ${healing.strategy} is not in spec.allowed.healingStrategies (${strategies.join(', ')})`,
    );
  }
  if (durationMs(healing.notReadyTimeout) < MIN_NOT_READY_MS) {
    problems.push(
      `spec.healing.notReadyTimeout: ${healing.notReadyTimeout}: must be at least 1m: otherwise nodes that restart would be repaired`,
    );
  }
  return problems;
}
