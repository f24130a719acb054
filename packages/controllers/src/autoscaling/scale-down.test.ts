import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';
import {
  type ClusterSketch,
  factsOf,
  type MachineSketch,
  minutesAgo,
  pending,
  running,
  working,
} from './testing/facts.ts';

/** Unneeded for so many minutes. */
function unneeded(minutes: number, rest: MachineSketch = working, due = false): MachineSketch {
  const mark = { due, reason: 'Underused', message: 'little of it is requested', time: minutesAgo(minutes) };
  return { ...rest, status: { marks: { unneeded: mark } } };
}

function removedBy(sketch: ClusterSketch): string[] {
  return decide(factsOf(sketch)).removals.map(({ candidate }) => candidate.nodeName);
}

function markedBy(sketch: ClusterSketch): string[] {
  const { marks } = decide(factsOf(sketch));
  return marks.flatMap(({ machine, mark }) => (mark ? [`${machine.metadata.name}: ${mark.reason}`] : []));
}

const busy = (node: string) => running(`busy-${node}`, node, '1000m');
const light = (node: string, metadata = {}) => running(`light-${node}`, node, '100m', metadata);
const budget = (disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { disruptionsAllowed },
});

describe('a node is unneeded', () => {
  const two = { p: { machines: { a: working, b: working } } };

  it.each([
    { reason: 'without pods', pools: two, pods: [busy('b')], marked: ['a: Empty'] },
    {
      reason: 'with little to do that fits elsewhere',
      pools: two,
      pods: [light('a'), busy('b')],
      marked: ['a: Underused'],
    },
    {
      reason: 'one after another, since both have no other place',
      pools: two,
      pods: [light('a'), light('b')],
      marked: ['a: Underused'],
    },
    { reason: 'not with half of it in use', pools: two, pods: [busy('a'), busy('b')], marked: [] },
    {
      reason: 'not with pods that fit nowhere else',
      pools: two,
      pods: [light('a'), running('full', 'b', '1800m')],
      marked: [],
    },
    {
      reason: 'not with a pod that nobody makes anew',
      pools: two,
      pods: [light('a', { ownerReferences: [] }), busy('b')],
      marked: [],
    },
    {
      reason: 'with one that may go all the same',
      pools: two,
      pods: [
        light('a', { ownerReferences: [], annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } }),
        busy('b'),
      ],
      marked: ['a: Underused'],
    },
    {
      reason: 'not with one that must not go',
      pools: two,
      pods: [light('a', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } }), busy('b')],
      marked: [],
    },
    {
      reason: 'not with one that its budget keeps',
      pools: two,
      pods: [light('a', { labels: { app: 'web' } }), busy('b')],
      rest: { budgets: [budget(0)] },
      marked: [],
    },
    {
      reason: 'with one that its budget lets go',
      pools: two,
      pods: [light('a', { labels: { app: 'web' } }), busy('b')],
      rest: { budgets: [budget(1)] },
      marked: ['a: Underused'],
    },
    {
      reason: 'not where its owner forbids it',
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
      reason: 'not where pods wait for its room',
      pools: two,
      pods: [pending('x', '1000m'), busy('a'), busy('b')],
      marked: [],
    },
    {
      reason: 'when it is not ready',
      pools: { p: { machines: { a: { node: { isReady: false } }, b: working } } },
      pods: [light('a'), busy('b')],
      marked: ['a: NotReady'],
    },
    {
      reason: 'never in a pool that is not autoscaled',
      pools: { p: { isAutoscaled: false, machines: { a: working } }, q: { machines: { b: working } } },
      pods: [busy('b')],
      marked: [],
    },
    {
      reason: 'never while most nodes are broken',
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
    expect(markedBy({ pools, pods, rest })).toEqual(marked);
  });
});

describe('a node goes', () => {
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
    { reason: 'not earlier', pools: { p: { machines: { a: unneeded(9), b: working } } }, removed: [] },
    {
      reason: 'after twenty when it is not ready',
      pools: { p: { machines: { a: unneeded(20, { node: { isReady: false } }), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'not earlier when it is not ready',
      pools: { p: { machines: { a: unneeded(19, { node: { isReady: false } }), b: working } } },
      removed: [],
    },
    {
      reason: 'not below minReplicas',
      pools: { p: { spec: { minReplicas: 2 }, machines: { a: unneeded(60), b: working } } },
      removed: [],
    },
    {
      reason: 'not within ten minutes after another was added, in any pool',
      pools: {
        p: { machines: { a: unneeded(60), b: working } },
        q: { status: { autoscaling: { ...added(9).autoscaling, replicas: 0 } } },
      },
      removed: [],
    },
    {
      reason: 'after that',
      pools: { p: { status: added(10), machines: { a: unneeded(60), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'one at a time with pods, the one that is unneeded for longest',
      pools: { p: { machines: { a: unneeded(20), b: working, c: unneeded(30) } } },
      pods: [light('a'), light('c')],
      removed: ['c'],
    },
    {
      reason: 'not with pods while another one leaves',
      pools: {
        p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: { node: {}, isLeaving: true } } },
      },
      pods: [light('a')],
      removed: [],
    },
    {
      reason: 'when Fairway was killed after its mark was written, and before the size',
      pools: { p: { machines: { a: unneeded(20, working, true), b: working } } },
      removed: ['a'],
    },
    {
      reason: 'not while there are more than there are to be: the last choice is not seen yet',
      pools: { p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: working } } },
      removed: [],
    },
    {
      reason: 'not while one that was chosen is still there',
      pools: {
        p: { spec: { replicas: 2 }, machines: { a: unneeded(20), b: working, c: unneeded(20, working, true) } },
      },
      pods: [light('a')],
      removed: [],
    },
  ])('$reason', ({ pools, pods = [], removed }) => {
    expect(removedBy({ pools, pods: [...pods, busy('b')] })).toEqual(removed);
  });

  it('with nine others at most, when all are empty', () => {
    const machines = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`n${index}`, unneeded(30)]));
    const { removals, pools } = decide(factsOf({ pools: { p: { machines } } }));

    expect(removals).toHaveLength(10);
    expect(pools[0]?.status).toMatchObject({
      replicas: 4,
      reason: 'ScaledDown',
      message: 'from 14 to 4, without 10 empty nodes',
    });
  });

  it('and the decision comes when the first one is due', () => {
    const pools = { p: { machines: { a: unneeded(7), b: working } } };
    const { dueMs, marks } = decide(factsOf({ pools, pods: [busy('b')] }));

    expect(dueMs).toBe(Date.parse(minutesAgo(-3)));
    expect(marks.map(({ mark }) => mark?.time)).toEqual([minutesAgo(7), undefined]);
  });
});
