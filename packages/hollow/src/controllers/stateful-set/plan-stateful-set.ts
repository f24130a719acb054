import type { Pod, StatefulSet } from '@fairway/kube/kinds/generated/types';
import { isPodAvailable, isPodFinished } from '../pods.ts';
import { ordinalOf, revisionOfPod } from './stateful-pod.ts';

/** Maximum pods created or deleted per pass, whatever spec.replicas is. */
const BURST = 500;

export interface Revisions {
  readonly current: string;
  readonly update: string;
}

export type StatefulAction =
  | { readonly kind: 'create'; readonly ordinal: number; readonly revision: string }
  /** `condemned`: its ordinal is beyond spec.replicas, and its claims may be deleted with it. */
  | { readonly kind: 'delete'; readonly pod: Pod; readonly condemned: boolean };

/**
 * The next steps of a StatefulSet (updateStatefulSet of stateful_set_control.go). Pods are handled in order, each only
 * once all earlier ones are healthy, or all at once with podManagementPolicy Parallel. Then pods of an old revision are
 * replaced one at a time, from the last pod down to the partition.
 */
export function planStatefulSet(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  nowMs: number,
): StatefulAction[] {
  const { replicas = 1, podManagementPolicy, ordinals, minReadySeconds = 0 } = set.spec;
  const start = ordinals?.start ?? 0;
  const isOrdered = podManagementPolicy !== 'Parallel';
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const isHealthy = (pod: Pod) => !isTerminating(pod) && isPodAvailable(pod, minReadySeconds, nowMs);
  const actions: StatefulAction[] = [];
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) actions.push({ kind: 'create', ordinal, revision: revisionFor(set, ordinal, revisions) });
    else if (isPodFinished(pod) && !isTerminating(pod)) actions.push({ kind: 'delete', pod, condemned: false });
    else if (isHealthy(pod)) continue;
    if (isOrdered || actions.length >= BURST) return actions;
  }
  const condemned = [...byOrdinal].filter(([ordinal]) => ordinal < start || ordinal >= start + replicas);
  for (const [, pod] of condemned.sort(([left], [right]) => right - left)) {
    if (isOrdered && isTerminating(pod)) return actions;
    if (!isTerminating(pod)) actions.push({ kind: 'delete', pod, condemned: true });
    if (isOrdered) return actions;
  }
  if (actions.length === 0) actions.push(...planUpdate(set, byOrdinal, revisions, isHealthy));
  return actions;
}

function planUpdate(
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, Pod>,
  { update }: Revisions,
  isHealthy: (pod: Pod) => boolean,
): StatefulAction[] {
  const { replicas = 1, updateStrategy, ordinals } = set.spec;
  if (updateStrategy?.type === 'OnDelete') return [];
  const start = ordinals?.start ?? 0;
  const first = start + (updateStrategy?.rollingUpdate?.partition ?? 0);
  for (let ordinal = start + replicas - 1; ordinal >= first; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) return [];
    if (revisionOfPod(pod) !== update && !isTerminating(pod)) return [{ kind: 'delete', pod, condemned: false }];
    // One at a time: the next waits until this one is healthy.
    if (!isHealthy(pod)) return [];
  }
  return [];
}

/** A pod below the partition, or not yet reached by the rolling update, is re-created at its old revision. */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: Revisions): string {
  const { updateStrategy, ordinals } = set.spec;
  const start = ordinals?.start ?? 0;
  if (updateStrategy?.type === 'OnDelete') return update;
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  const isOutdated = partition > 0 ? ordinal < start + partition : ordinal < start + (set.status?.currentReplicas ?? 0);
  return isOutdated ? current : update;
}

function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
