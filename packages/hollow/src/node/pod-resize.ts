import { formatTime } from '@fairway/base/clock';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  ResourceRequirements,
} from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import { type Amounts, podRequests } from '@fairway/kube/object/pod-resources';

export const RESIZE_PENDING = 'PodResizePending';
const RESOURCE_LISTS = ['requests', 'limits'] as const;
const RESIZABLE = ['cpu', 'memory'] as const;

/** Resources allocated to a pod's containers, by name. */
export type Allocation = ReadonlyMap<string, ResourceRequirements>;

export interface AllocationResult {
  readonly allocation: Allocation;
  /** Why the allocation differs from the pod's request. */
  readonly pending: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string } | undefined;
}

/** The pod's allocation according to its status, where the node stores it across restarts. A new pod is allocated its request. */
export function previousAllocation({ spec, status }: Pod): Allocation {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const known = new Map([...containerStatuses, ...initContainerStatuses].map((one) => [one.name, one.resources]));
  return new Map(containersOf(spec).map(({ name, resources }) => [name, known.get(name) ?? listsOf(resources)]));
}

/** The pod with its request replaced by its allocation. */
export function withAllocation(pod: Pod, allocation: Allocation): Pod {
  const { containers, initContainers } = pod.spec;
  const replaced = (container: Container) => ({ ...container, resources: allocation.get(container.name) ?? {} });
  const spec = {
    ...pod.spec,
    containers: containers.map(replaced),
    ...(initContainers && { initContainers: initContainers.map(replaced) }),
  };
  return { ...pod, spec };
}

/**
 * Allocates a pod's request if it fits in addition to the other allocations; otherwise the pod keeps its allocation.
 * Like kubelet's allocation manager, except that containers are not restarted.
 */
export function allocate(
  pod: Pod,
  before: Allocation,
  others: () => readonly Pod[],
  allocatable: Amounts,
): AllocationResult {
  const resized = containersOf(pod.spec).filter(
    ({ name, resources }) => !jsonEqual(listsOf(resources), listsOf(before.get(name))),
  );
  if (resized.length === 0) return { allocation: before, pending: undefined };
  const restarting = resized.find((container) => wantsRestart(container, before.get(container.name)));
  if (restarting !== undefined) {
    const message = `a hollow node does not restart containers to resize them, which the resizePolicy of ${restarting.name} requires`;
    return { allocation: before, pending: { reason: 'Infeasible', message } };
  }
  const message = missing(pod, withAllocation(pod, before), others(), allocatable);
  if (message !== undefined) return { allocation: before, pending: { reason: 'Deferred', message } };
  return {
    allocation: new Map(containersOf(pod.spec).map(({ name, resources }) => [name, listsOf(resources)])),
    pending: undefined,
  };
}

function wantsRestart({ resources, resizePolicy = [] }: Container, before: ResourceRequirements | undefined): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      RESOURCE_LISTS.some((list) => resources?.[list]?.[resourceName] !== before?.[list]?.[resourceName]),
  );
}

/** Kubelet's message for the first insufficient resource. */
function missing(pod: Pod, before: Pod, others: readonly Pod[], allocatable: Amounts): string | undefined {
  const [newRequests, had] = [podRequests(pod), podRequests(before)];
  for (const name of RESIZABLE) {
    const requested = newRequests.get(name) ?? 0;
    if (requested <= (had.get(name) ?? 0)) continue;
    const used = others.reduce((sum, other) => sum + (podRequests(other).get(name) ?? 0), 0);
    const capacity = allocatable.get(name) ?? 0;
    if (used + requested <= capacity) continue;
    // CPU in thousandths, memory in bytes.
    const [needed, taken, all] = [requested, used, capacity].map((milli) => (name === 'cpu' ? milli : milli / 1000));
    return `Node didn't have enough resource: ${name}, requested: ${needed}, used: ${taken}, capacity: ${all}`;
  }
  return undefined;
}

/** A status that also reports allocations and pending resizes. */
export function withResources(
  status: PodStatus,
  pod: Pod,
  { allocation, pending }: AllocationResult,
  nowMs: number,
): PodStatus {
  const withMessage = (one: ContainerStatus): ContainerStatus => {
    const resources = allocation.get(one.name) ?? {};
    return { ...one, ...(resources.requests && { allocatedResources: resources.requests }), resources };
  };
  const { containerStatuses, initContainerStatuses, conditions = [] } = status;
  return {
    ...status,
    ...(containerStatuses && { containerStatuses: containerStatuses.map(withMessage) }),
    ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(withMessage) }),
    conditions: [...conditions, ...(pending ? [pendingCondition(pod, pending, nowMs)] : [])],
  };
}

function pendingCondition(pod: Pod, pending: NonNullable<AllocationResult['pending']>, nowMs: number): PodCondition {
  const before = pod.status?.conditions?.find(({ type }) => type === RESIZE_PENDING);
  const lastTransitionTime = before?.lastTransitionTime ?? formatTime(nowMs);
  return { type: RESIZE_PENDING, status: 'True', ...pending, lastTransitionTime };
}

function containersOf({ containers, initContainers = [] }: PodSpec): readonly Container[] {
  return [...containers, ...initContainers];
}

/** The lists that are not empty. */
function listsOf({ requests = {}, limits = {} }: ResourceRequirements = {}): ResourceRequirements {
  const [hasRequests, hasLimits] = [requests, limits].map((list) => Object.keys(list).length > 0);
  return { ...(hasLimits && { limits }), ...(hasRequests && { requests }) };
}
