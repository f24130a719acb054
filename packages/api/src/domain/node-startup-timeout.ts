import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';

/** Default if neither pool nor plan sets a timeout. */
const DEFAULT_TIMEOUT = '10m';

/** Maximum time for a server to become a node once it is ACTIVE: the pool's setting, or else the plan's. */
export function nodeStartupTimeoutMs(
  pool: Pick<NodePoolSpec, 'nodeStartupTimeout'> | undefined,
  plan: Pick<PlanSpec, 'healing'> | undefined,
): number {
  return durationMs(pool?.nodeStartupTimeout ?? plan?.healing.nodeStartupTimeout ?? DEFAULT_TIMEOUT);
}

/** Maximum time from a server's creation until it is ACTIVE; added to the startup timeout. */
const BUILD_TIMEOUT_MS = 5 * 60_000;

/**
 * Maximum time from a machine's creation until it becomes a node, after which autoscaling gives up on it. 15 minutes by
 * default, as in cluster-autoscaler.
 */
export function provisionTimeoutMs(...of: Parameters<typeof nodeStartupTimeoutMs>): number {
  return nodeStartupTimeoutMs(...of) + BUILD_TIMEOUT_MS;
}
