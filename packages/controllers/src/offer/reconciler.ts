import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { type ConditionState, setConditions } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { writeStatus } from '../status-writer.ts';
import type { InUseProtection } from './in-use.ts';

/** A kind of the operator's catalogue: Plan, KubernetesRelease. */
export interface OfferedObject extends KubeObject {
  status?: { observedGeneration?: number | undefined; conditions?: Condition[] | undefined };
}

export interface OfferOptions<T extends OfferedObject> {
  readonly informer: Informer<T>;
  readonly configurationProblems: (object: T) => readonly string[];
  /** Brings parts of the spec that Fairway itself writes up to date; returns the result. */
  readonly completeSpec?: (object: T, signal: AbortSignal) => Promise<T>;
  /** Fields of its spec that have no effect yet. */
  readonly unappliedFieldsOf?: (object: T) => string | undefined;
  readonly inUse: InUseProtection<T>;
  readonly clock: Clock;
}

/** How often to recheck whether a deleted entry is still in use, in addition to cluster events. */
const IN_USE_RETRY_MS = 60_000;

/**
 * Reports in the Ready condition whether clusters can use a catalogue entry, and what needs to be fixed. Retains the
 * entry while clusters use it.
 */
export function offerReconciler<T extends OfferedObject>({
  informer,
  configurationProblems,
  completeSpec,
  unappliedFieldsOf,
  inUse,
  clock,
}: OfferOptions<T>): Reconcile {
  return async (key, context) => {
    const found = informer.get(key);
    if (found === undefined) return {};
    const pass = new Pass(context, clock);
    const held = await pass.run(() => inUse.ensureHeld(found));
    const heldObject = held.value ?? found;
    const completed = await pass.run(async () => (await completeSpec?.(heldObject, pass.signal)) ?? heldObject);
    const object = completed.value ?? heldObject;
    const checked = await pass.run(async () => configurationProblems(object));
    const releaseResult = await pass.run(() => inUse.releaseDeleted(object, pass.signal));
    const isReleased =
      isBeingDeleted(object) && releaseResult.failure === undefined && releaseResult.value === undefined;
    if (isReleased) return pass.end();
    if (releaseResult.value) pass.requeueAfter(IN_USE_RETRY_MS);
    const failure = held.failure ?? completed.failure ?? checked.failure ?? releaseResult.failure;
    const problem = failure ?? releaseResult.value ?? configurationProblem(checked.value ?? []);
    const generation = object.metadata.generation ?? 0;
    const conditions = setConditions(
      object.status?.conditions,
      {
        [ConditionType.Ready]: problem
          ? conditionUnmet(ConditionType.Ready, problem)
          : conditionMet(ConditionType.Ready),
        [ConditionType.FieldsApplied]: fieldsApplied(unappliedFieldsOf?.(object)),
      },
      { generation, nowMs: clock.now() },
    );
    return pass.end(() =>
      writeStatus(informer.client, object, {
        ...object.status,
        observedGeneration: generation,
        conditions: [...conditions],
      }),
    );
  };
}

function configurationProblem(problems: readonly string[]): Problem | undefined {
  if (problems.length === 0) return undefined;
  return { reason: ConditionReason.ConfigurationInvalid, message: problems.join('; ') };
}

/** The condition FieldsApplied; undefined if all fields are applied. Pure. */
export function fieldsApplied(unapplied: string | undefined): ConditionState | undefined {
  if (unapplied === undefined) return undefined;
  return conditionUnmet(ConditionType.FieldsApplied, { reason: ConditionReason.NotImplemented, message: unapplied });
}
