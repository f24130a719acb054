import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { removeCondition, setCondition } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import type { ControllerDependencies } from './dependencies.ts';
import { writeStatus } from './status-writer.ts';

interface PausableObject extends KubeObject {
  status?: { readonly conditions?: readonly Condition[] | undefined };
}

/**
 * Returns the object, or undefined if it is paused. Sets or removes its condition Paused, and warns if this blocks a
 * deletion.
 *
 * A key has one reconcile at a time, so the condition Paused means that no reconcile of the object is running.
 */
export async function ensurePausedCondition<T extends PausableObject>(
  client: ResourceClient<T>,
  object: T,
  cluster: Cluster | undefined,
  { events, clock }: Pick<ControllerDependencies, 'events' | 'clock'>,
): Promise<T | undefined> {
  const nowMs = clock.now();
  const previous = object.status?.conditions ?? [];
  const paused = isPaused(object, cluster);
  const condition = pausedCondition(object);
  const conditions = paused
    ? setCondition(previous, condition, nowMs)
    : removeCondition(previous, ConditionType.Paused);
  if (conditions === previous) return paused ? undefined : object;
  if (paused && object.metadata.deletionTimestamp !== undefined) {
    events.warning(object, condition.reason, condition.message);
  }
  const status = { ...object.status, conditions: [...conditions] };
  await writeStatus(client, object, status);
  return paused ? undefined : { ...object, status };
}

function pausedCondition(object: KubeObject) {
  const who = isPaused(object) ? 'it has' : 'its cluster has';
  const what = object.metadata.deletionTimestamp === undefined ? 'reconcile' : 'delete';
  const message = `${who} the annotation ${PAUSED_ANNOTATION}; Fairway does not ${what} it until that is removed`;
  return { type: ConditionType.Paused, status: 'True' as const, reason: ConditionReason.Paused, message };
}
