import type { Plan } from '@fairway/api/kinds/plan';
import { copyPatch } from '@fairway/api/limits/copied-limits';
import type { ResourceClient } from '@fairway/kube/client/resource-client';

/** Shows in `metadata.managedFields` which fields of a Plan are copied. */
const FIELD_MANAGER = 'fairway-plan-limits';

export interface CopyOptions {
  readonly client: ResourceClient<Plan>;
  readonly plan: Plan;
  /** The Plan in its `limitsFrom`, if any. */
  readonly base: Plan | undefined;
  readonly signal: AbortSignal;
}

/**
 * Copies the limits of `base` into the plan, or removes copied ones; does not write if they are up to date. Returns the
 * plan as stored. Rejects with the API's error, such as Conflict if `plan` is stale.
 */
export async function copyLimits({ client, plan, base, signal }: CopyOptions): Promise<Plan> {
  const value = copyPatch(plan, base);
  if (value === undefined) return plan;
  return client.patch(plan.metadata.name ?? '', { type: 'merge', value }, { fieldManager: FIELD_MANAGER, signal });
}
