import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { Kind } from '@fairway/api/kinds/kind';
import { isPaused } from '@fairway/api/pause';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { localTime } from '../output/local-time.ts';
import { adviceFor } from '../progress/advice.ts';
import { type Finding, problem, warning } from './finding.ts';

interface ConditionedObject extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** An operation that takes longer than this on a healthy cloud needs attention. */
const STUCK_AFTER_MS = 10 * 60_000;

/** The finding on an object that makes no progress; undefined if it is ready or progressing. */
export function stuckFinding(kind: Kind, object: ConditionedObject, nowMs: number): Finding | undefined {
  const { name = '', namespace = '', deletionTimestamp, finalizers = [] } = object.metadata;
  const check = `${kind.singular} ${namespace}/${name}`;
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
  const isOld = (since: string | undefined) => since !== undefined && nowMs - Date.parse(since) > STUCK_AFTER_MS;
  if (isPaused(object)) return warning(check, 'is paused: Fairway does not reconcile it', adviceFor('Paused'));
  // Its cluster is stuck and already reported.
  const isClusterPaused = object.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True');
  if (isClusterPaused) return undefined;
  if (deletionTimestamp !== undefined) {
    if (!isOld(deletionTimestamp)) return undefined;
    const why = ready?.message ? `: ${ready.reason}: ${ready.message}` : `; finalizers: ${finalizers.join(', ')}`;
    return problem(
      check,
      `has been terminating since ${localTime(deletionTimestamp)}${why}`,
      ready && adviceFor(ready.reason),
    );
  }
  if (ready === undefined) {
    if (!isOld(object.metadata.creationTimestamp)) return undefined;
    return problem(check, 'no controller has reconciled it yet', 'check that Fairway is running, and look at its log');
  }
  // Somebody chose to hibernate the cluster.
  if (ready.status === 'True' || ready.reason === 'Hibernated') return undefined;
  const actor: string | undefined = actionRequiredBy(ready.reason as ConditionReason);
  const detail = `${ready.reason}: ${ready.message}`;
  if (actor === 'user' || actor === 'operator') return problem(check, detail, adviceFor(ready.reason));
  if (isOld(ready.lastTransitionTime)) {
    return warning(check, `${detail} (since ${localTime(ready.lastTransitionTime)})`, adviceFor(ready.reason));
  }
  return undefined;
}
