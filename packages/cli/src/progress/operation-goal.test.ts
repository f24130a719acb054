import type { LastOperation } from '@fairway/api/kinds/status';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { localTime } from '../output/local-time.ts';
import type { ClusterView } from './cluster-view.ts';
import { operationEnded } from './operation-goal.ts';

const SINCE = '2026-01-01T00:00:00Z';
const upgrading: LastOperation = {
  type: 'Upgrade',
  state: 'Processing',
  progress: 40,
  description: 'the nodes of pool general are being updated',
  steps: { done: 2, total: 5 },
  estimatedEndTime: '2026-01-01T00:20:00Z',
  lastUpdateTime: SINCE,
};
const done: LastOperation = {
  type: 'Upgrade',
  state: 'Succeeded',
  progress: 100,
  description: 'the cluster is ready',
  lastUpdateTime: SINCE,
};

const creating: LastOperation = { ...upgrading, type: 'Create', steps: { done: 1, total: 4 }, description: 'it boots' };

function view(
  cluster: LastOperation,
  pool: LastOperation = done,
  { observedGeneration = 2, machines = {} }: { observedGeneration?: number; machines?: Machines } = {},
) {
  return {
    cluster: {
      ...aCluster({}, { name: 'demo', uid: 'c1', generation: 2 }),
      status: { observedGeneration, lastOperation: cluster },
    },
    pools: [
      { ...aNodePool({}, { name: 'general', uid: 'p1' }), status: { observedGeneration: 1, lastOperation: pool } },
    ],
    machines: Object.entries(machines).map(([name, status]) => ({
      metadata: { name, uid: name },
      spec: { nodePoolName: 'general' },
      status: { observedGeneration: 1, ...status },
    })) as readonly object[] as ClusterView['machines'],
  } satisfies ClusterView;
}

type Machines = Readonly<Record<string, NonNullable<ClusterView['machines'][number]['status']>>>;

const EMPTY_VIEW: ClusterView = { cluster: undefined, pools: [], machines: [] };
const goal = operationEnded({ kind: 'cluster', name: 'demo', uid: 'c1' });

describe('the outcome of a watch', () => {
  test.each([
    { reason: 'the operation is running', view: view(upgrading), outcome: { state: 'running' } },
    { reason: 'a pool is still updating', view: view(done, upgrading), outcome: { state: 'running' } },
    {
      reason: 'the spec is not observed yet',
      view: view(done, done, { observedGeneration: 1 }),
      outcome: { state: 'running' },
    },
    {
      reason: 'the operation waits for the user, and the watch continues',
      view: view({ ...upgrading, state: 'Error', reason: 'UpgradeHalted', since: SINCE }),
      outcome: { state: 'running' },
    },
    { reason: 'everything is done', view: view(done), outcome: { state: 'done' } },
    {
      reason: 'the upgrade was aborted',
      view: view({ ...done, state: 'Failed', reason: 'UpgradeAborted', description: 'aborted' }),
      outcome: { state: 'failed', reason: 'UpgradeAborted', message: 'aborted' },
    },
    { reason: 'the cluster was deleted', view: EMPTY_VIEW, outcome: { state: 'done' } },
    {
      reason: 'the cluster was deleted, and another one has the same name',
      view: { ...view(upgrading), cluster: { ...view(upgrading).cluster, metadata: { name: 'demo', uid: 'c2' } } },
      outcome: { state: 'done' },
    },
  ])('$reason', ({ view, outcome }) => {
    expect(goal.outcome(view)).toEqual(outcome);
  });
});

test('a step shows its progress and expected end', () => {
  expect(goal.steps(view(upgrading))).toEqual([
    {
      key: 'cluster',
      title: 'cluster',
      state: 'running',
      detail: `Upgrade 2/5, the nodes of pool general are being updated; done about ${localTime('2026-01-01T00:20:00Z')}`,
      progress: { done: 2, total: 5 },
    },
    { key: 'pool general', title: 'pool general', state: 'done', detail: 'the cluster is ready' },
  ]);
});

test('a step that waits for someone shows how long it has been waiting', () => {
  const { estimatedEndTime: _, ...halted } = upgrading;
  const waiting: LastOperation = {
    ...halted,
    state: 'Error',
    reason: 'UpgradeHalted',
    since: SINCE,
    description: 'halted',
  };
  expect(goal.steps(view(waiting))[0]?.detail).toBe(`Upgrade 2/5, halted; since ${localTime(SINCE)}`);
});

describe('the watch of a pool', () => {
  const poolGoal = operationEnded({ kind: 'nodepool', name: 'general', uid: 'p1' });
  const machines = { b: { lastOperation: done }, a: { lastOperation: creating } };

  test('shows its nodes as parts', () => {
    expect(
      poolGoal.steps(view(done, upgrading, { machines })).map(({ key, state, isPart }) => [key, state, isPart]),
    ).toEqual([
      ['pool general', 'running', undefined],
      ['machine a', 'running', true],
      ['machine b', 'done', true],
    ]);
  });

  test.each([
    { reason: 'the pool is updating', view: view(done, upgrading), state: 'running' },
    { reason: 'the pool is done, whatever the state of its cluster', view: view(upgrading, done), state: 'done' },
    { reason: 'the pool was deleted', view: EMPTY_VIEW, state: 'done' },
  ])('$reason: $state', ({ view, state }) => {
    expect(poolGoal.outcome(view).state).toBe(state);
    expect(poolGoal.watch).toBe('fairway nodepool get general --watch');
  });
});

describe('the watch of a machine', () => {
  const machineGoal = operationEnded({ kind: 'machine', name: 'a', uid: 'a' });
  const mark = { due: true, reason: 'RepairRequested', message: 'somebody asks for a repair', time: SINCE };
  const due = { repair: { ...mark, strategy: 'Reinstall' } } as const;

  test.each([
    {
      reason: 'the machine is being created',
      status: { lastOperation: creating },
      state: 'running',
      detail: `Create 1/4, it boots; done about ${localTime('2026-01-01T00:20:00Z')}`,
    },
    { reason: 'the machine is ready', status: { lastOperation: done }, state: 'done', detail: 'the cluster is ready' },
    {
      reason: 'the machine’s repair is about to begin',
      status: { lastOperation: done, marks: due },
      state: 'running',
      detail: mark.message,
    },
    {
      reason: 'the machine’s repair is waiting, and its last operation is over',
      status: { lastOperation: done, marks: { repair: { ...due.repair, due: false } } },
      state: 'done',
      detail: 'the cluster is ready',
    },
  ])('$reason: $state', ({ status, state, detail }) => {
    const seen = view(upgrading, upgrading, { machines: { a: status, b: { lastOperation: creating } } });
    expect(machineGoal.outcome(seen).state).toBe(state);
    expect(machineGoal.steps(seen)).toMatchObject([{ key: 'machine a', state, detail }]);
  });
});
