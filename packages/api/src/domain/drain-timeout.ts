import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';

/**
 * How long PodDisruptionBudgets may hold up the drain of a pool's nodes: what the pool says, else the plan, and never longer than the plan allows.
 * Undefined where neither is known.
 */
export function drainTimeoutMs(pool: NodePoolSpec | undefined, plan: PlanSpec | undefined): number | undefined {
  const asked = pool?.upgradeStrategy.drainTimeout ?? plan?.drainTimeout;
  if (asked === undefined) return undefined;
  const ceiling = plan?.maxDrainTimeout;
  return ceiling === undefined ? durationMs(asked) : Math.min(durationMs(asked), durationMs(ceiling));
}
