import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';
import {
  type ClusterSketch,
  factsOf,
  type MachineSketch,
  minutesAgo,
  pendingPod,
  running,
  working,
} from './testing/facts.ts';

/** A node that has been unneeded for this many minutes. */
function unneeded(minutes: number, rest: MachineSketch = working, due = false): MachineSketch {
  const mark = { due, reason: 'Underused', message: 'little of it is requested', time: minutesAgo(minutes) };
  return { ...rest, status: { marks: { unneeded: mark } } };
}

function removedNodes(sketch: ClusterSketch): string[] {
  return decide(factsOf(sketch)).removals.map(({ candidate }) => candidate.nodeName);
}

function markedNodes(sketch: ClusterSketch): string[] {
  const { marks } = decide(factsOf(sketch));
  return marks.flatMap(({ machine, mark }) => (mark ? [`${machine.metadata.name}: ${mark.reason}`] : []));
}

const busy = (node: string) => running(`busy-${node}`, node, '1000m');
const lightPod = (node: string, metadata = {}) => running(`light-${node}`, node, '100m', metadata);
const budget = (disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { disruptionsAllowed },
});

describe('the unneeded nodes', () => {
  const two = { p: { machines: { a: working, b: working } } };

  it.each([
    { reason: 'without pods', pools: two, pods: [busy('b')], marked: ['a: Empty'] },
    {
      reason: 'include a node whose few pods fit elsewhere',
      pools: two,
      pods: [lightPod('a'), busy('b')],
      marked: ['a: Underused'],
    },
    {
      reason: 'include only one of two nodes if their pods fit nowhere else',
      pools: two,
      pods: [lightPod('a'), lightPod('b')],
      marked: ['a: Underused'],
    },
    { reason: 'exclude a node if half of it is requested', pools: two, pods: [busy('a'), busy('b')], marked: [] },
    {
      reason: 'exclude a node whose pods fit nowhere else',
      pools: two,
      pods: [lightPod('a'), running('full', 'b', '1800m')],
      marked: [],
    },
    {
      reason: 'exclude a node if nothing recreates one of its pods',
      pools: two,
      pods: [lightPod('a', { ownerReferences: [] }), busy('b')],
      marked: [],
    },
    {
      reason: 'include a node if its pod without a controller is marked safe to evict',
      pools: two,
      pods: [
        lightPod('a', {
          ownerReferences: [],
          annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
        }),
        busy('b'),
      ],
      marked: ['a: Underused'],
    },
    {
      reason: 'exclude a node if a pod is marked not safe to evict',
      pools: two,
      pods: [lightPod('a', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } }), busy('b')],
      marked: [],
    },
    {
      reason: 'exclude a node if a PodDisruptionBudget blocks an eviction',
      pools: two,
      pods: [lightPod('a', { labels: { app: 'web' } }), busy('b')],
      rest: { budgets: [budget(0)] },
      marked: [],
    },
    {
      reason: 'include a node if the PodDisruptionBudget allows the eviction',
      pools: two,
      pods: [lightPod('a', { labels: { app: 'web' } }), busy('b')],
      rest: { budgets: [budget(1)] },
      marked: ['a: Underused'],
    },
    {
      reason: 'exclude a node that is annotated with scale-down-disabled',
      pools: {
        p: {
          machines: {
            a: { node: { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } } },
            b: working,
          },
        },
      },
      pods: [busy('b')],
      marked: [],
    },
    {
      reason: 'exclude a node if pending pods need its room',
      pools: two,
      pods: [pendingPod('x', '1000m'), busy('a'), busy('b')],
      marked: [],
    },
    {
      reason: 'include a node that is not ready',
      pools: { p: { machines: { a: { node: { isReady: false } }, b: working } } },
      pods: [lightPod('a'), busy('b')],
      marked: ['a: NotReady'],
    },
    {
      reason: 'exclude nodes of a pool that is not autoscaled',
      pools: { p: { isAutoscaled: false, machines: { a: working } }, q: { machines: { b: working } } },
      pods: [busy('b')],
      marked: [],
    },
    {
      reason: 'include none while most nodes are broken',
      pools: {
        p: {
          machines: Object.fromEntries(
            ['a', 'b', 'c', 'd', 'e'].map((name) => [name, { node: { isReady: name === 'e' } }]),
          ),
        },
      },
      pods: [],
      marked: [],
    },
  ])('$reason', ({ pools, pods, rest = {}, marked }) => {
    expect(markedNodes({ pools, pods, rest })).toEqual(marked);
  });
});

describe('a node is deleted', () => {
  const added = (minutes: number) => ({
    autoscaling: {
      replicas: 2,
      reason: 'ScaledUp',
      message: '',
      time: minutesAgo(minutes),
      lastScaleUpTime: minutesAgo(minutes),
    },
  });

  it.each([
    { reason: 'after ten minutes', pools: { p: { machines: { a: unneeded(10), b: working } } }, removed: ['a'] },
    { reason: 'not before ten minutes', pools: { p: { machines: { a: unneeded(9), b: working } } }, removed: [] },
    {
      reason: 'after twenty minutes if it is not ready',
      pools: { p: { machines: { a: unneeded(20, { node: { isReady: false } }), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'only after twenty minutes if it is not ready',
      pools: { p: { machines: { a: unneeded(19, { node: { isReady: false } }), b: working } } },
      removed: [],
    },
    {
      reason: 'only down to minReplicas',
      pools: { p: { spec: { minReplicas: 2 }, machines: { a: unneeded(60), b: working } } },
      removed: [],
    },
    {
      reason: 'only ten minutes after the last scale-up of any pool',
      pools: {
        p: { machines: { a: unneeded(60), b: working } },
        q: { status: { autoscaling: { ...added(9).autoscaling, replicas: 0 } } },
      },
      removed: [],
    },
    {
      reason: 'ten minutes after the last scale-up',
      pools: { p: { status: added(10), machines: { a: unneeded(60), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'one at a time if it has pods, the longest unneeded first',
      pools: { p: { machines: { a: unneeded(20), b: working, c: unneeded(30) } } },
      pods: [lightPod('a'), lightPod('c')],
      removed: ['c'],
    },
    {
      reason: 'only after the deletion of another node with pods',
      pools: {
        p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: { node: {}, isLeaving: true } } },
      },
      pods: [lightPod('a')],
      removed: [],
    },
    {
      reason: 'if Fairway was killed between writing the mark and the size',
      pools: { p: { machines: { a: unneeded(20, working, true), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'only after the cache reflects the last selection',
      pools: { p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: working } } },
      removed: [],
    },
    {
      reason: 'only after the previously selected node is gone',
      pools: {
        p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: unneeded(20, working, true) } },
      },
      pods: [lightPod('a')],
      removed: [],
    },
  ])('$reason', ({ pools, pods = [], removed }) => {
    expect(removedNodes({ pools, pods: [...pods, busy('b')] })).toEqual(removed);
  });

  it('together with at most nine other empty nodes', () => {
    const machines = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`n${index}`, unneeded(30)]));
    const { removals, pools } = decide(factsOf({ pools: { p: { machines } } }));

    expect(removals).toHaveLength(10);
    expect(pools[0]?.status).toMatchObject({
      replicas: 4,
      reason: 'ScaledDown',
      message: 'from 14 to 4, without 10 empty nodes',
    });
  });

  it('at the due time that the previous decision returned', () => {
    const pools = { p: { machines: { a: unneeded(7), b: working } } };
    const { dueMs, marks } = decide(factsOf({ pools, pods: [busy('b')] }));

    expect(dueMs).toBe(Date.parse(minutesAgo(-3)));
    expect(marks.map(({ mark }) => mark?.time)).toEqual([minutesAgo(7), undefined]);
  });
});
