import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Amounts, podLimits, podRequests } from '@fairway/kube/object/pod-resources';
import {
  milliQuantityOf,
  parseQuantity,
  type Quantity,
  quantityOf,
  tryParseQuantity,
  ZERO,
} from '@fairway/kube/object/quantity';
import { LEGACY_COUNT_NAMES } from '@fairway/kube/object/quota-resource';

/** Amounts by their names in quotas. */
export type Usage = ReadonlyMap<string, Quantity>;

/**
 * Usage of one object that counts against its namespace's quotas (pkg/quota/v1/evaluator). `id` is the object's
 * resource: `pods`, `deployments.apps`.
 */
export function usageOf(id: string, object: KubeObject): Usage {
  const usage = new Map<string, Quantity>();
  usage.set(`count/${id}`, quantityOf(1));
  switch (id) {
    case 'pods':
      addPod(usage, object as Pod);
      break;
    case 'services':
      addService(usage, object as Service);
      break;
    case 'persistentvolumeclaims':
      addClaim(usage, object as PersistentVolumeClaim);
      break;
    default:
      if (LEGACY_COUNT_NAMES.has(id)) usage.set(id, quantityOf(1));
  }
  return usage;
}

/** A finished pod counts only as an object. */
function addPod(usage: Map<string, Quantity>, pod: Pod): void {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return;
  usage.set('pods', quantityOf(1));
  addAmounts(usage, podRequests(pod), (name) =>
    ['cpu', 'memory', 'ephemeral-storage'].includes(name) ? [name, `requests.${name}`] : [`requests.${name}`],
  );
  addAmounts(usage, podLimits(pod), (name) => [`limits.${name}`]);
}

function addAmounts(usage: Map<string, Quantity>, amounts: Amounts, namesOf: (name: string) => string[]): void {
  for (const [name, milli] of amounts) {
    const quantity =
      milli % 1000 === 0 ? quantityOf(milli / 1000, name === 'cpu' ? 'DecimalSI' : 'BinarySI') : milliQuantityOf(milli);
    for (const counted of namesOf(name)) usage.set(counted, quantity);
  }
}

function addService(usage: Map<string, Quantity>, { spec }: Service): void {
  usage.set('services', quantityOf(1));
  const ports = quantityOf((spec.ports ?? []).length);
  if (spec.type === 'NodePort') usage.set('services.nodeports', ports);
  if (spec.type !== 'LoadBalancer') return;
  usage.set('services.loadbalancers', quantityOf(1));
  const held = (spec.ports ?? []).filter(({ nodePort }) => nodePort).length;
  usage.set('services.nodeports', spec.allocateLoadBalancerNodePorts === false ? quantityOf(held) : ports);
}

function addClaim(usage: Map<string, Quantity>, { spec }: PersistentVolumeClaim): void {
  usage.set('persistentvolumeclaims', quantityOf(1));
  const storage = tryParseQuantity(spec.resources?.requests?.['storage']) ?? ZERO;
  usage.set('requests.storage', storage);
  const { storageClassName } = spec;
  if (!storageClassName) return;
  const prefix = `${storageClassName}.storageclass.storage.k8s.io`;
  usage.set(`${prefix}/persistentvolumeclaims`, quantityOf(1));
  usage.set(`${prefix}/requests.storage`, storage);
}

/** Whether the quota counts this object: scopes only apply to pods. */
export function isInScope({ spec }: Pick<ResourceQuota, 'spec'>, id: string, object: KubeObject): boolean {
  const requirements = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists', values: [] as string[] })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  if (requirements.length === 0) return true;
  if (id !== 'pods') return false;
  const pod = object as Pod;
  return requirements.every(({ scopeName, operator, values = [] }) => {
    switch (scopeName) {
      case 'Terminating':
        return pod.spec.activeDeadlineSeconds !== undefined;
      case 'NotTerminating':
        return pod.spec.activeDeadlineSeconds === undefined;
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'CrossNamespacePodAffinity':
        return hasForeignAffinity(pod);
      case 'PriorityClass':
        return matchesPriority(pod.spec.priorityClassName ?? '', operator, values);
      default:
        return false;
    }
  });
}

function isBestEffort(pod: Pod): boolean {
  return ['cpu', 'memory'].every((name) => !podRequests(pod).get(name) && !podLimits(pod).get(name));
}

/** Whether a pod has affinity or anti-affinity to pods in other namespaces. */
function hasForeignAffinity({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => Boolean(term?.namespaces?.length) || term?.namespaceSelector !== undefined);
}

function matchesPriority(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}

export function parseHard(hard: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(hard ?? {}).map(([name, value]) => [name, parseQuantity(value)]));
}
