import { type ConditionStates, findCondition } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import type { ReasonAndMessage } from './condition-reason.ts';

type State = NonNullable<ConditionStates[string]>;

/** Progress of a Gateway's load balancer. */
export type Progress =
  | {
      readonly kind: 'programmed';
      readonly address: string;
      /** Reasons why listeners have no certificate. */
      readonly withoutCertificate: ReadonlyMap<string, string>;
    }
  /** The previous configuration is still in effect. */
  | { readonly kind: 'pending'; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string };

export function trueState(reason: string, message: string): State {
  return { status: 'True', reason, message };
}

export function no({ reason, message }: ReasonAndMessage): State {
  return { status: 'False', reason, message };
}

/** While a change is in progress, the Programmed condition keeps its previous observed generation. */
export function programmedState(conditions: readonly Condition[], progress: Progress, message: string): State {
  switch (progress.kind) {
    case 'programmed':
      return trueState('Programmed', message);
    case 'refused':
      return no(progress);
    case 'pending': {
      const known = findCondition(conditions, 'Programmed');
      if (known?.status === 'True') {
        const { status, reason, observedGeneration } = known;
        return {
          status,
          reason,
          message: known.message,
          ...(observedGeneration !== undefined && { observedGeneration }),
        };
      }
      return no({ reason: 'Pending', message: progress.message });
    }
  }
}
