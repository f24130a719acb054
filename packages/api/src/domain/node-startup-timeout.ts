import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';

/** What the plan and the pool leave open. */
const DEFAULT = '10m';

/** How long a server may take, from ACTIVE, to be a node: what the pool says, else the plan. */
export function nodeStartupTimeoutMs(
  pool: Pick<NodePoolSpec, 'nodeStartupTimeout'> | undefined,
  plan: Pick<PlanSpec, 'healing'> | undefined,
): number {
  return durationMs(pool?.nodeStartupTimeout ?? plan?.healing.nodeStartupTimeout ?? DEFAULT);
}
