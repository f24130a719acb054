import type { Pod } from '@fairway/kube/kinds/generated/types';
import { podRequests } from '@fairway/kube/object/pod-resources';

/** Pods that differ only in their names: a node that fits one fits all. */
export interface PodGroup {
  readonly pods: readonly Pod[];
  /** The pod that represents the group in filters. */
  readonly sample: Pod;
}

/**
 * Groups pods by the fields that the scheduler uses. Pods with separate claims are in separate groups, because their
 * volumes may be in different zones.
 */
export function groupPods(pods: Iterable<Pod>): PodGroup[] {
  const groups = Map.groupBy(pods, schedulingKey);
  return [...groups.values()].map((members) => ({ pods: members, sample: members[0] as Pod }));
}

function schedulingKey({ metadata, spec }: Pod): string {
  const claims = spec.volumes?.flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    ephemeral ? [`${metadata.name}-${name}`] : (persistentVolumeClaim?.claimName ?? []),
  );
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    spec.priority,
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
    spec.containers.map(({ resources, ports }) => [resources?.requests, ports]),
    spec.initContainers?.map(({ resources, restartPolicy }) => [resources?.requests, restartPolicy]),
    spec.overhead,
    claims,
  ]);
}

/** Sorts groups as a scheduler and cluster-autoscaler do: highest priority first, then the largest pods. */
export function byPriorityAndSize(a: PodGroup, b: PodGroup): number {
  const priority = (b.sample.spec.priority ?? 0) - (a.sample.spec.priority ?? 0);
  return priority === 0 ? sizeOf(b.sample) - sizeOf(a.sample) : priority;
}

/** CPUs plus a quarter of the memory in GiB: machines have about four GiB per CPU. */
function sizeOf(pod: Pod): number {
  const requests = podRequests(pod);
  return (requests.get('cpu') ?? 0) / 1000 + (requests.get('memory') ?? 0) / 1000 / 2 ** 32;
}
