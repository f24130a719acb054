import { pluralize } from '../domain/pluralize.ts';
import { poolBounds, targetReplicas } from '../domain/target-replicas.ts';
import type { NodePool } from '../kinds/node-pool.ts';

const DEFAULTS = {
  priority: 0,
  scaleDownUtilizationThreshold: '0.5',
  scaleDownUnneededTime: '10m',
  scaleDownUnreadyTime: '20m',
} as const;

/** Warnings about changes that have no effect because autoscaling sets the size, and about the size that applies when autoscaling is disabled. */
export function autoscalingWarnings(pool: NodePool, old: NodePool | undefined): string[] {
  const { spec } = pool;
  const size = old && targetReplicas(old);
  if (!spec.autoscaling.enabled) {
    const idle = (Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[])
      .filter((name) => spec.autoscaling[name] !== DEFAULTS[name])
      .filter((name) => old === undefined || old.spec.autoscaling[name] !== spec.autoscaling[name])
      .map(
        (name) =>
          `spec.autoscaling.${name} (${spec.autoscaling[name]}): has no effect while spec.autoscaling.enabled is false`,
      );
    const isTurnedOff = old?.spec.autoscaling.enabled === true;
    if (!isTurnedOff || size === spec.replicas) return idle;
    return [
      `spec.autoscaling.enabled (false): the pool is scaled from ${pluralize(size ?? 0, 'node')} to spec.replicas, which is ${spec.replicas}: set that to ${size} to keep them`,
      ...idle,
    ];
  }
  if (old?.spec.autoscaling.enabled !== true || old.spec.replicas === spec.replicas) return [];
  const now = { ...pool, status: old.status ?? {} };
  const { min, max, by } = poolBounds(now);
  return [
    `spec.replicas (${spec.replicas}): is only the initial size while spec.autoscaling.enabled is true: the pool currently needs ${pluralize(targetReplicas(now), 'node')}; its limits are minReplicas ${min} and maxReplicas ${max}${by}`,
  ];
}
