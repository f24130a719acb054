import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';
import { factsOf, minutesAgo, pendingPod, working } from './testing/facts.ts';

describe('the reason why a pool is not scaled up', () => {
  it.each([
    { reason: 'MaxReplicasReached', pool: { spec: { maxReplicas: 0 } }, cpu: '100m', message: 'maxReplicas 0 reached' },
    { reason: 'PodsUnschedulable', pool: {}, cpu: '5', message: 'Insufficient cpu' },
    {
      reason: 'PodsUnschedulable',
      pool: { spec: { template: { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] } } } },
      cpu: '100m',
      message: 'node(s) had untolerated taint {k: v}',
    },
    {
      reason: 'PlanLimitExceeded',
      pool: {},
      cpu: '100m',
      rest: { limit: { nodes: 0, problem: { reason: 'PlanLimitExceeded' as const, message: 'no more nodes' } } },
      message: 'no more nodes',
    },
  ])('$reason: $message', ({ reason, pool, cpu, rest, message }) => {
    const { pools, unschedulable } = decide(
      factsOf({ pools: { p: pool }, pods: [pendingPod('a', cpu)], ...(rest && { rest }) }),
    );

    expect(pools[0]?.status.hindrance).toEqual({ reason, message: `pods are pending, such as default/a: ${message}` });
    expect(unschedulable.map(({ reasons }) => reasons)).toEqual([[{ pool: 'p', problem: { reason, message } }]]);
  });

  it('mentions the same pod for as long as it is pending', () => {
    const hindrance = { reason: 'PodsUnschedulable', message: 'pods are pending, such as default/b: Insufficient cpu' };
    const autoscaling = { replicas: 0, reason: 'Started', message: '', time: minutesAgo(5), hindrance };
    const pods = [pendingPod('a', '5'), pendingPod('b', '5')];

    expect(decide(factsOf({ pools: { p: { status: { autoscaling } } }, pods })).pools[0]?.status.hindrance).toEqual(
      hindrance,
    );
  });
});

describe('machines that cannot be created', () => {
  const failing = {
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False' as const,
          reason: 'QuotaExceeded',
          message: 'no cores',
          lastTransitionTime: minutesAgo(1),
        },
      ],
    },
  };

  it.each([
    {
      reason: 'are given up',
      pool: { machines: { n: working, x: failing, y: failing } },
      replicas: 1,
      givenUp: ['x', 'y'],
    },
    {
      reason: 'are given up only down to minReplicas',
      pool: { spec: { minReplicas: 2 }, machines: { n: working, x: failing } },
      replicas: 2,
      givenUp: [],
    },
    {
      reason: 'are given up when they exceed the provision timeout',
      pool: { machines: { x: { created: minutesAgo(16) } } },
      replicas: 0,
      givenUp: ['x'],
    },
    {
      reason: 'are kept until the provision timeout',
      pool: { machines: { x: { created: minutesAgo(14) } } },
      replicas: 1,
      givenUp: [],
    },
    {
      reason: 'are kept while the cloud is unavailable',
      pool: {
        machines: {
          x: {
            status: {
              conditions: [
                { ...failing.status.conditions[0], reason: 'CloudUnavailable' },
              ] as typeof failing.status.conditions,
            },
          },
        },
      },
      replicas: 1,
      givenUp: [],
    },
    {
      reason: 'do not reduce the size if they are surplus',
      pool: { spec: { replicas: 1 }, machines: { n: working, x: failing } },
      replicas: 1,
      givenUp: [],
    },
  ])('$reason', ({ pool, replicas, givenUp }) => {
    const decision = decide(factsOf({ pools: { p: pool } }));

    expect(decision.pools[0]?.status.replicas).toBe(replicas);
    expect(decision.abandonedMachines.map(({ machine }) => machine.metadata.name)).toEqual(givenUp);
    expect(decision.marks.filter(({ mark }) => mark?.due).map(({ machine }) => machine.metadata.name)).toEqual(givenUp);
  });
});
