import { describe, expect, it } from 'vitest';
import type { NodePool } from '../kinds/node-pool.ts';
import { aNodePool } from '../testing/objects.ts';
import { autoscalingWarnings } from './autoscaling-warnings.ts';

const on = { autoscaling: { enabled: true } };
const scheduled = {
  autoscaling: {
    enabled: true,
    schedules: [{ name: 'day', start: '0 7 * * *', end: '0 20 * * *', minReplicas: 3 }],
  },
};

/** Returns the pool with a size set by autoscaling. */
function poolOfSize(pool: NodePool, replicas: number): NodePool {
  const autoscaling = { replicas, reason: 'ScaledUp', message: '', time: '2026-01-01T00:00:00Z' };
  return { ...pool, status: { autoscaling } };
}

describe('autoscalingWarnings', () => {
  it.each([
    { reason: 'a new pool', pool: aNodePool({ ...on, replicas: 3 }), old: undefined, warnings: [] },
    {
      reason: 'the same spec applied again',
      pool: aNodePool({ ...on, replicas: 1 }),
      old: poolOfSize(aNodePool({ ...on, replicas: 1 }), 7),
      warnings: [],
    },
    {
      reason: 'another size',
      pool: aNodePool({ ...on, replicas: 2, maxReplicas: 9 }),
      old: poolOfSize(aNodePool({ ...on, replicas: 1, maxReplicas: 9 }), 7),
      warnings: [
        'spec.replicas (2): is only the initial size while spec.autoscaling.enabled is true: the pool currently needs 7 nodes; its limits are minReplicas 0 and maxReplicas 9',
      ],
    },
    {
      reason: 'another number of nodes while a schedule is active',
      pool: aNodePool({ ...scheduled, replicas: 2, maxReplicas: 9 }),
      old: {
        ...aNodePool({ ...scheduled, replicas: 1, maxReplicas: 9 }),
        status: { bounds: { minReplicas: 3, maxReplicas: 9, schedule: 'day' } },
      },
      warnings: [
        'spec.replicas (2): is only the initial size while spec.autoscaling.enabled is true: the pool currently needs 3 nodes; its limits are minReplicas 3 and maxReplicas 9 by schedule day',
      ],
    },
    {
      reason: 'autoscaling disabled with another size',
      pool: aNodePool({ replicas: 1 }),
      old: poolOfSize(aNodePool({ ...on, replicas: 1 }), 7),
      warnings: [
        'spec.autoscaling.enabled (false): the pool is scaled from 7 nodes to spec.replicas, which is 1: set that to 7 to keep them',
      ],
    },
    {
      reason: 'autoscaling disabled with the current size',
      pool: aNodePool({ replicas: 7 }),
      old: poolOfSize(aNodePool({ ...on, replicas: 1 }), 7),
      warnings: [],
    },
    {
      reason: 'a changed setting while autoscaling is disabled',
      pool: aNodePool({ autoscaling: { priority: 5 } }),
      old: undefined,
      warnings: ['spec.autoscaling.priority (5): has no effect while spec.autoscaling.enabled is false'],
    },
  ])('returns the warnings for $reason', ({ pool, old, warnings }) => {
    expect(autoscalingWarnings(pool, old)).toEqual(warnings);
  });
});
