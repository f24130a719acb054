import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { HealingStrategy } from '../kinds/node-pool-healing.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';
import { nodeStartupTimeoutMs } from './node-startup-timeout.ts';

/** How the nodes of a pool are healed. */
export interface HealingSettings {
  readonly isEnabled: boolean;
  readonly strategy: HealingStrategy;
  readonly notReadyMs: number;
  /** How long a reinstallation may take from when the cloud has accepted it, with the start of the node after it. */
  readonly reinstallMs: number;
  /** As in the pool's spec. */
  readonly maxUnhealthy: string;
}

/** Where neither pool nor plan are there to say. */
const DEFAULT_NOT_READY_MS = 600_000;
/** What the cloud may take to write a disk. */
const REBUILD_MS = 900_000;
/** Of a cluster, where the pool's limit is a number of its own nodes. */
const DEFAULT_SHARE = '40%';

/** What the pool says, else the plan. A strategy that the plan does not allow is not followed. */
export function healingSettings(pool: NodePoolSpec, plan: PlanSpec | undefined): HealingSettings {
  const { enabled, strategy, notReadyTimeout, maxUnhealthy } = pool.healing;
  const isAllowed = strategy !== undefined && plan?.allowed?.healingStrategies?.includes(strategy) !== false;
  const timeout = notReadyTimeout ?? plan?.healing.notReadyTimeout;
  return {
    isEnabled: enabled,
    strategy: isAllowed ? strategy : (plan?.healing.strategy ?? 'Replace'),
    notReadyMs: timeout === undefined ? DEFAULT_NOT_READY_MS : durationMs(timeout),
    reinstallMs: REBUILD_MS + nodeStartupTimeoutMs(pool, plan),
    maxUnhealthy,
  };
}

/** How many of `size` nodes of the pool may be broken for one of them to be repaired. */
export function mostUnhealthyOfPool(maxUnhealthy: string, size: number): number {
  return maxUnhealthy.endsWith('%') ? shareOf(maxUnhealthy, size) : Number(maxUnhealthy);
}

/** As `mostUnhealthyOfPool`, of the nodes of all the cluster's pools. */
export function mostUnhealthyOfCluster(maxUnhealthy: string, size: number): number {
  return shareOf(maxUnhealthy.endsWith('%') ? maxUnhealthy : DEFAULT_SHARE, size);
}

function shareOf(percent: string, size: number): number {
  const share = Number(percent.slice(0, -1));
  return share === 0 ? 0 : Math.max(1, Math.floor((share * size) / 100));
}
