import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { Clock } from '@fairway/base/clock';
import type { Informer } from '@fairway/kube/client/informer';
import { setCondition } from '@fairway/kube/controller/conditions';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { writeStatus } from '../status-writer.ts';

/** A kind of the operator's catalogue: Plan, KubernetesRelease. */
export interface Offered extends KubeObject {
  status?: { observedGeneration?: number | undefined; conditions?: Condition[] | undefined };
}

/** Reports in the Ready condition whether clusters can use a catalogue entry, and what must be fixed. */
export function offerReconciler<T extends Offered>(
  informer: Informer<T>,
  problemsOf: (object: T) => readonly string[],
  clock: Clock,
): Reconcile {
  return async (key, context) => {
    const object = informer.get(key);
    if (object === undefined) return {};
    const pass = new Pass(context, clock);
    const { value: problems = [], failure } = await pass.run(async () => problemsOf(object));
    const generation = object.metadata.generation ?? 0;
    const isReady = failure === undefined && problems.length === 0;
    const condition = {
      type: ConditionType.Ready,
      status: isReady ? ('True' as const) : ('False' as const),
      reason: isReady ? ConditionReason.AsExpected : (failure?.reason ?? ConditionReason.ConfigurationInvalid),
      message: failure?.message ?? problems.join('; '),
      observedGeneration: generation,
    };
    const conditions = [...setCondition(object.status?.conditions, condition, clock.now())];
    return pass.end(() => writeStatus(informer.client, object, { observedGeneration: generation, conditions }));
  };
}
