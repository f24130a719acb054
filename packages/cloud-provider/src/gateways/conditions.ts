import { type ConditionStates, findCondition } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import type { Verdict } from './verdict.ts';

type State = NonNullable<ConditionStates[string]>;

/** How far the load balancer of a Gateway is. */
export type Progress =
  | {
      readonly kind: 'programmed';
      readonly address: string;
      /** Listeners that have no certificate, and why. */
      readonly uncertified: ReadonlyMap<string, string>;
    }
  /** What works goes on to. */
  | { readonly kind: 'pending'; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string };

export function yes(reason: string, message: string): State {
  return { status: 'True', reason, message };
}

export function no({ reason, message }: Verdict): State {
  return { status: 'False', reason, message };
}

/** What was programmed stays so, of the generation that it was of, while a change is under way. */
export function programmedState(conditions: readonly Condition[], progress: Progress, message: string): State {
  switch (progress.kind) {
    case 'programmed':
      return yes('Programmed', message);
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
