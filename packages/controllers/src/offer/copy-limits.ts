import type { Plan } from '@fairway/api/kinds/plan';
import { nextCopyStep } from '@fairway/api/limits/copied-limits';
import type { ResourceClient } from '@fairway/kube/client/resource-client';

/** Owns the limits that are copied into Plans, so that a limit that is no longer applied is removed. */
const FIELD_MANAGER = 'fairway-plan-limits';

/** Removes another Plan's limits, then copies those of the base: after that, nothing is left to do. */
const MAX_STEPS = 2;

export interface CopyOptions {
  readonly client: ResourceClient<Plan>;
  readonly plan: Plan;
  /** The Plan in its `limitsFrom`, if any. */
  readonly base: Plan | undefined;
  readonly signal: AbortSignal;
}

/**
 * Copies the limits of `base` into the plan, or removes copied ones; does not write if they are up to date. Returns the
 * plan as stored. Rejects with the API's error.
 */
export async function copyLimits({ client, plan, base, signal }: CopyOptions): Promise<Plan> {
  let current = plan;
  for (let count = 0; count < MAX_STEPS; count++) {
    const step = nextCopyStep(current, base);
    if (step === undefined) return current;
    const options = { fieldManager: FIELD_MANAGER, signal };
    current =
      step.kind === 'apply'
        ? await client.apply(step.object as Plan, { ...options, force: true })
        : await client.patch(plan.metadata.name ?? '', { type: 'merge', value: step.value }, options);
  }
  return current;
}
