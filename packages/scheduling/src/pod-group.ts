import type { Pod } from '@fairway/kube/kinds/generated/types';
import { podRequests } from '@fairway/kube/object/pod-resources';

/** Pods that differ in their names alone: what fits one, fits them all. */
export interface PodGroup {
  readonly pods: readonly Pod[];
  /** The one that is asked for all. */
  readonly sample: Pod;
}

/** Groups pods by what the scheduler looks at. Pods with claims of their own stand alone, since their volumes may be in different places. */
export function groupPods(pods: Iterable<Pod>): PodGroup[] {
  const groups = Map.groupBy(pods, keyOfLike);
  return [...groups.values()].map((like) => ({ pods: like, sample: like[0] as Pod }));
}

function keyOfLike({ metadata, spec }: Pod): string {
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

/** Sorts groups as a scheduler and cluster-autoscaler take them: highest priority first, then the largest pods. */
export function byPriorityAndSize(a: PodGroup, b: PodGroup): number {
  const priority = (b.sample.spec.priority ?? 0) - (a.sample.spec.priority ?? 0);
  return priority === 0 ? sizeOf(b.sample) - sizeOf(a.sample) : priority;
}

/** CPUs and a quarter of the GiB of memory: machines have about four GiB a CPU. */
function sizeOf(pod: Pod): number {
  const requests = podRequests(pod);
  return (requests.get('cpu') ?? 0) / 1000 + (requests.get('memory') ?? 0) / 1000 / 2 ** 32;
}
