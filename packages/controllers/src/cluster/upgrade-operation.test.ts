import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { targetName } from '../upgrade/progress.ts';
import { type UpgradeFacts, upgradeOperation } from './upgrade-operation.ts';

const [OLD, NEW] = ['1.34.2', '1.35.0'];
const NOW = '2026-01-01T00:00:00Z';
const IN_PROGRESS: LastOperation = {
  type: 'Upgrade',
  state: 'Processing',
  progress: 9,
  description: 'the nodes are updated after the control plane',
  steps: { done: 1, total: 11 },
  lastUpdateTime: NOW,
};

function newPool(name: string, upgrade?: Partial<PoolUpgrade>): NodePool {
  const pool = aNodePool({ flavor: 'b3-8', replicas: 5 }, { name });
  const target = targetName({ flavor: 'b3-8', image: 'image', version: NEW, zones: [] });
  const known = { target, strategy: 'Rolling', state: 'Running', total: 5, done: 0, summary: '0/5', startTime: NOW };
  return {
    ...pool,
    status: { imageID: 'image', replicas: 5, ...(upgrade && { upgrade: { ...known, ...upgrade } as PoolUpgrade }) },
  };
}

const old: Machine = {
  metadata: { name: 'a-1' },
  spec: { clusterName: 'demo', nodePoolName: 'a', flavor: 'b3-8', image: 'image', version: OLD } as Machine['spec'],
};

const waitingForWindow = {
  state: 'Waiting',
  reason: 'WaitingForMaintenanceWindow',
  message: 'it opens at 2',
  since: NOW,
};

interface Case {
  readonly reason: string;
  readonly facts: Partial<UpgradeFacts>;
  readonly last?: LastOperation;
  readonly before?: string;
  readonly operation: object | undefined;
}

test.each<Case>([
  { reason: 'nothing is outdated', facts: { pools: [newPool('a')] }, operation: undefined },
  {
    reason: 'the control plane comes first, and its nodes already count as steps',
    facts: {
      version: OLD,
      choice: { version: NEW, waiting: { reason: 'Updating', message: 'from old to new' } },
      pools: [newPool('a'), newPool('b')],
    },
    operation: { state: 'Processing', progress: 0, steps: { done: 0, total: 11 }, description: 'from old to new' },
  },
  {
    reason: 'a control plane that waits for its window has not started',
    facts: { version: OLD, choice: { version: OLD, waiting: { reason: 'WaitingForMaintenanceWindow', message: '' } } },
    operation: undefined,
  },
  {
    reason: 'the control plane is done, and no pool was checked yet',
    facts: { pools: [newPool('a')], machinesOf: () => [old, old] },
    before: OLD,
    operation: {
      progress: 33,
      steps: { done: 1, total: 3 },
      description: 'the nodes are updated after the control plane',
    },
  },
  {
    reason: 'the operation lasts until the nodes are updated, even after a crash',
    facts: { pools: [newPool('a')], machinesOf: () => [old, old] },
    last: { ...IN_PROGRESS, steps: { done: 1, total: 3 } },
    operation: {
      progress: 33,
      steps: { done: 1, total: 3 },
      description: 'the nodes are updated after the control plane',
    },
  },
  {
    reason: 'a different kubelet version alone is not an upgrade',
    facts: {
      pools: [newPool('a')],
      machinesOf: () => [{ ...old, spec: { ...old.spec, version: NEW }, status: { version: OLD } }],
    },
    last: IN_PROGRESS,
    operation: undefined,
  },
  {
    reason: 'a new image alone starts the operation with its first node',
    facts: { pools: [newPool('a', { total: 5, done: 2 })] },
    operation: { progress: 40, steps: { done: 2, total: 5 }, description: 'the nodes of pool a are being updated' },
  },
  {
    reason: 'a waiting pool without an updated node has not started',
    facts: { pools: [newPool('a', { ...waitingForWindow, startTime: undefined } as Partial<PoolUpgrade>)] },
    operation: undefined,
  },
  {
    reason: 'a waiting pool belongs to the operation that the control plane started',
    facts: { pools: [newPool('a', { ...waitingForWindow, startTime: undefined } as Partial<PoolUpgrade>)] },
    last: IN_PROGRESS,
    operation: {
      state: 'Pending',
      reason: 'WaitingForMaintenanceWindow',
      since: NOW,
      description: 'pool a: it opens at 2',
      steps: { done: 6, total: 11 },
    },
  },
  {
    reason: 'a waiting pool is not reported while another one advances',
    facts: { pools: [newPool('a', { ...waitingForWindow } as Partial<PoolUpgrade>), newPool('b', { done: 1 })] },
    last: IN_PROGRESS,
    operation: { state: 'Processing', description: 'the nodes of pool b are being updated' },
  },
  {
    reason: 'a halted pool is reported even while another one advances',
    facts: {
      pools: [
        newPool('a', { state: 'Halted', reason: 'UpgradeHalted', message: 'it failed', since: NOW }),
        newPool('b'),
      ],
    },
    operation: { state: 'Error', reason: 'UpgradeHalted', description: 'pool a: it failed' },
  },
  {
    reason: 'a drain that a budget blocks is reported',
    facts: { pools: [newPool('a', { reason: 'PodDisruptionBudget', message: 'web keeps its pods', since: NOW })] },
    operation: { state: 'Error', reason: 'PodDisruptionBudget', since: NOW, description: 'pool a: web keeps its pods' },
  },
  {
    reason: 'a waiting pool takes as long per node as the others',
    facts: {
      pools: [
        newPool('a', {
          done: 3,
          estimatedEndTime: '2026-01-01T00:20:00Z',
          pace: { time: NOW, done: 1, lastTime: '2026-01-01T00:10:00Z' },
        }),
        newPool('b', { state: 'Waiting', reason: 'WaitingForPools', message: '', since: NOW }),
      ],
    },
    operation: { estimatedEndTime: '2026-01-01T00:45:00Z' },
  },
  {
    reason: 'an update left to the user never happens automatically',
    facts: { pools: [newPool('a', { state: 'Waiting', reason: 'UpdateAvailable', message: '', since: NOW })] },
    last: IN_PROGRESS,
    operation: undefined,
  },
  {
    reason: 'an upgrade aborted by its user has failed at its current progress',
    facts: { pools: [newPool('a', { state: 'Aborted', reason: 'UpgradeAborted', message: '', since: NOW })] },
    last: IN_PROGRESS,
    operation: { state: 'Failed', progress: 9, reason: 'UpgradeAborted', steps: { done: 1, total: 11 } },
  },
])('$reason', ({ facts, last, before = NEW, operation }) => {
  const status = { version: facts.version ?? before, ...(last && { lastOperation: last }) };
  const cluster = { ...aCluster(), status };
  const all = {
    choice: undefined,
    version: NEW,
    pools: [],
    machinesOf: () => [],
    nodeUpgradeSeconds: () => undefined,
    ...facts,
  };
  const reportedText = upgradeOperation(cluster, all);
  expect({ reportedText }).toMatchObject({ reportedText: operation && { type: 'Upgrade', ...operation } });
});

test.each([
  { reason: 'the control plane was measured, and the nodes were observed', last: undefined, expectedSeconds: 160 },
  { reason: 'nodes of the previous version were updated first', last: IN_PROGRESS, expectedSeconds: undefined },
])('an upgrade is estimated at $expectedSeconds s: $reason', ({ last, expectedSeconds }) => {
  const durations = [{ what: 'ControlPlane' as const, seconds: 100 }];
  const cluster = { ...aCluster(), status: { version: OLD, durations, ...(last && { lastOperation: last }) } };
  const reportedText = upgradeOperation(cluster, {
    choice: { version: NEW, waiting: undefined },
    version: OLD,
    pools: [newPool('a')],
    machinesOf: () => [],
    nodeUpgradeSeconds: () => 60,
  });

  expect(reportedText?.expectedSeconds).toBe(expectedSeconds);
});
