import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';

/**
 * How long PodDisruptionBudgets may delay the drain of a pool's nodes: as specified by the pool, or else by the plan,
 * and capped at the plan's maximum. Undefined if neither is known.
 */
export function drainTimeoutMs(pool: NodePoolSpec | undefined, plan: PlanSpec | undefined): number | undefined {
  const requestedTimeout = pool?.upgradeStrategy.drainTimeout ?? plan?.drainTimeout;
  if (requestedTimeout === undefined) return undefined;
  const ceiling = plan?.maxDrainTimeout;
  return ceiling === undefined
    ? durationMs(requestedTimeout)
    : Math.min(durationMs(requestedTimeout), durationMs(ceiling));
}
