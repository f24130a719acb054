import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { Kind } from '@fairway/api/kinds/kind';
import { isPaused } from '@fairway/api/pause';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { localTime } from '../output/local-time.ts';
import { adviceFor } from '../progress/advice.ts';
import { type Finding, problem, warning } from './finding.ts';

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** An operation that takes longer than this on a healthy cloud needs attention. */
const PATIENCE_MS = 10 * 60_000;

/** The finding on an object that makes no progress; undefined for one that is ready or progressing. */
export function stuckFinding(kind: Kind, object: Conditioned, nowMs: number): Finding | undefined {
  const { name = '', namespace = '', deletionTimestamp, finalizers = [] } = object.metadata;
  const check = `${kind.singular} ${namespace}/${name}`;
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
  const isOld = (since: string | undefined) => since !== undefined && nowMs - Date.parse(since) > PATIENCE_MS;
  if (isPaused(object)) return warning(check, 'is paused: Fairway does not reconcile it', adviceFor('Paused'));
  // Its cluster is stuck, and is reported.
  const isHeld = object.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True');
  if (isHeld) return undefined;
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
  // A hibernated cluster is as somebody wants it.
  if (ready.status === 'True' || ready.reason === 'Hibernated') return undefined;
  const turn: string | undefined = actionRequiredBy(ready.reason as ConditionReason);
  const detail = `${ready.reason}: ${ready.message}`;
  if (turn === 'user' || turn === 'operator') return problem(check, detail, adviceFor(ready.reason));
  if (isOld(ready.lastTransitionTime)) {
    return warning(check, `${detail} (since ${localTime(ready.lastTransitionTime)})`, adviceFor(ready.reason));
  }
  return undefined;
}
