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
const LISTS = ['requests', 'limits'] as const;
const RESIZABLE = ['cpu', 'memory'] as const;

/** Resources allocated to the containers of a pod, by name. */
export type Allotment = ReadonlyMap<string, ResourceRequirements>;

export interface Allotted {
  readonly given: Allotment;
  /** Why it differs from the pod's request. */
  readonly pending: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string } | undefined;
}

/** The pod's allocation according to its status, where the node stores it across restarts. A new pod is allocated its request. */
export function allottedBefore({ spec, status }: Pod): Allotment {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const known = new Map([...containerStatuses, ...initContainerStatuses].map((one) => [one.name, one.resources]));
  return new Map(containersOf(spec).map(({ name, resources }) => [name, known.get(name) ?? listsOf(resources)]));
}

/** The pod with its request replaced by its allocation. */
export function asAllotted(pod: Pod, given: Allotment): Pod {
  const { containers, initContainers } = pod.spec;
  const replaced = (container: Container) => ({ ...container, resources: given.get(container.name) ?? {} });
  const spec = {
    ...pod.spec,
    containers: containers.map(replaced),
    ...(initContainers && { initContainers: initContainers.map(replaced) }),
  };
  return { ...pod, spec };
}

/**
 * Allocates a pod's request if the node has room for it beside the other allocations; otherwise the pod keeps its allocation. Like kubelet's
 * allocation manager, except that containers are not restarted.
 */
export function allot(pod: Pod, before: Allotment, others: () => readonly Pod[], allocatable: Amounts): Allotted {
  const resized = containersOf(pod.spec).filter(
    ({ name, resources }) => !jsonEqual(listsOf(resources), listsOf(before.get(name))),
  );
  if (resized.length === 0) return { given: before, pending: undefined };
  const restarting = resized.find((container) => wantsRestart(container, before.get(container.name)));
  if (restarting !== undefined) {
    const message = `a hollow node does not restart containers to resize them, which the resizePolicy of ${restarting.name} requires`;
    return { given: before, pending: { reason: 'Infeasible', message } };
  }
  const message = missing(pod, asAllotted(pod, before), others(), allocatable);
  if (message !== undefined) return { given: before, pending: { reason: 'Deferred', message } };
  return {
    given: new Map(containersOf(pod.spec).map(({ name, resources }) => [name, listsOf(resources)])),
    pending: undefined,
  };
}

function wantsRestart({ resources, resizePolicy = [] }: Container, before: ResourceRequirements | undefined): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      LISTS.some((list) => resources?.[list]?.[resourceName] !== before?.[list]?.[resourceName]),
  );
}

/** Kubelet's message for the first insufficient resource. */
function missing(pod: Pod, before: Pod, others: readonly Pod[], allocatable: Amounts): string | undefined {
  const [wanted, had] = [podRequests(pod), podRequests(before)];
  for (const name of RESIZABLE) {
    const requested = wanted.get(name) ?? 0;
    if (requested <= (had.get(name) ?? 0)) continue;
    const used = others.reduce((sum, other) => sum + (podRequests(other).get(name) ?? 0), 0);
    const capacity = allocatable.get(name) ?? 0;
    if (used + requested <= capacity) continue;
    // CPU in thousandths, memory in bytes.
    const [asked, taken, all] = [requested, used, capacity].map((milli) => (name === 'cpu' ? milli : milli / 1000));
    return `Node didn't have enough resource: ${name}, requested: ${asked}, used: ${taken}, capacity: ${all}`;
  }
  return undefined;
}

/** A status that also reports allocations and pending resizes. */
export function withResources(status: PodStatus, pod: Pod, { given, pending }: Allotted, nowMs: number): PodStatus {
  const told = (one: ContainerStatus): ContainerStatus => {
    const resources = given.get(one.name) ?? {};
    return { ...one, ...(resources.requests && { allocatedResources: resources.requests }), resources };
  };
  const { containerStatuses, initContainerStatuses, conditions = [] } = status;
  return {
    ...status,
    ...(containerStatuses && { containerStatuses: containerStatuses.map(told) }),
    ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(told) }),
    conditions: [...conditions, ...(pending ? [pendingCondition(pod, pending, nowMs)] : [])],
  };
}

function pendingCondition(pod: Pod, pending: NonNullable<Allotted['pending']>, nowMs: number): PodCondition {
  const before = pod.status?.conditions?.find(({ type }) => type === RESIZE_PENDING);
  const lastTransitionTime = before?.lastTransitionTime ?? formatTime(nowMs);
  return { type: RESIZE_PENDING, status: 'True', ...pending, lastTransitionTime };
}

function containersOf({ containers, initContainers = [] }: PodSpec): readonly Container[] {
  return [...containers, ...initContainers];
}

/** The non-empty lists. */
function listsOf({ requests = {}, limits = {} }: ResourceRequirements = {}): ResourceRequirements {
  const [hasRequests, hasLimits] = [requests, limits].map((list) => Object.keys(list).length > 0);
  return { ...(hasLimits && { limits }), ...(hasRequests && { requests }) };
}
