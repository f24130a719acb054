import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { HealingStrategy } from '../kinds/node-pool-healing.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';
import { nodeStartupTimeoutMs } from './node-startup-timeout.ts';

/** How the nodes of a pool are repaired. */
export interface HealingSettings {
  readonly isEnabled: boolean;
  readonly strategy: HealingStrategy;
  readonly notReadyMs: number;
  /** Maximum duration of a reinstallation, from the cloud accepting the request until the node has started. */
  readonly reinstallMs: number;
  /** As specified in the pool. */
  readonly maxUnhealthy: string;
}

/** Used if neither pool nor plan is known. */
const DEFAULT_NOT_READY_MS = 600_000;
/** How long the cloud may take to write a disk. */
const REBUILD_TIMEOUT_MS = 900_000;
/** Cluster-wide limit if the pool's limit is an absolute number. */
const DEFAULT_MAX_UNHEALTHY = '40%';

/** The pool's settings, or else the plan's. A strategy that the plan does not allow is ignored. */
export function healingSettings(pool: NodePoolSpec, plan: PlanSpec | undefined): HealingSettings {
  const { enabled, strategy, notReadyTimeout, maxUnhealthy } = pool.healing;
  const isAllowed = strategy !== undefined && plan?.allowed?.healingStrategies?.includes(strategy) !== false;
  const timeout = notReadyTimeout ?? plan?.healing.notReadyTimeout;
  return {
    isEnabled: enabled,
    strategy: isAllowed ? strategy : (plan?.healing.strategy ?? 'Replace'),
    notReadyMs: timeout === undefined ? DEFAULT_NOT_READY_MS : durationMs(timeout),
    reinstallMs: REBUILD_TIMEOUT_MS + nodeStartupTimeoutMs(pool, plan),
    maxUnhealthy,
  };
}

/** How many of `size` nodes of the pool may be unhealthy before repairs stop. */
export function maxUnhealthyInPool(maxUnhealthy: string, size: number): number {
  return maxUnhealthy.endsWith('%') ? maxUnhealthyCount(maxUnhealthy, size) : Number(maxUnhealthy);
}

/** Like `maxUnhealthyInPool`, for the nodes of all pools of the cluster. */
export function maxUnhealthyInCluster(maxUnhealthy: string, size: number): number {
  return maxUnhealthyCount(maxUnhealthy.endsWith('%') ? maxUnhealthy : DEFAULT_MAX_UNHEALTHY, size);
}

function maxUnhealthyCount(percent: string, size: number): number {
  const share = Number(percent.slice(0, -1));
  return share === 0 ? 0 : Math.max(1, Math.floor((share * size) / 100));
}
