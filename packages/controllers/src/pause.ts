import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { isPaused } from '@fairway/api/pause';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { removeCondition, setCondition } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { writeStatus } from './status-writer.ts';

interface Pausable extends KubeObject {
  status?: { readonly conditions?: readonly Condition[] | undefined };
}

/**
 * The object if it may be acted on, undefined if it is to be left alone; says so in its condition Paused, or takes that back.
 *
 * A key has one reconcile at a time, so whoever reads Paused on an object knows that its controller has ended what it was doing for it.
 */
export async function ensurePausedCondition<T extends Pausable>(
  client: ResourceClient<T>,
  object: T,
  cluster: Cluster | undefined,
  nowMs: number,
): Promise<T | undefined> {
  const previous = object.status?.conditions ?? [];
  const paused = isPaused(object, cluster);
  const conditions = paused
    ? setCondition(previous, pausedCondition(object), nowMs)
    : removeCondition(previous, ConditionType.Paused);
  if (conditions === previous) return paused ? undefined : object;
  const status = { ...object.status, conditions: [...conditions] };
  await writeStatus(client, object, status);
  return paused ? undefined : { ...object, status };
}

function pausedCondition(object: KubeObject) {
  const who = isPaused(object) ? 'it has' : 'its cluster has';
  const message = `${who} the annotation ${PAUSED_ANNOTATION}; Fairway does not reconcile it until that is removed`;
  return { type: ConditionType.Paused, status: 'True' as const, reason: ConditionReason.Paused, message };
}
