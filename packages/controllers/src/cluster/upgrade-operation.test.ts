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
const GOING_ON: LastOperation = {
  type: 'Upgrade',
  state: 'Processing',
  progress: 9,
  description: 'the nodes are updated after the control plane',
  steps: { done: 1, total: 11 },
  lastUpdateTime: NOW,
};

function aPool(name: string, upgrade?: Partial<PoolUpgrade>): NodePool {
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
  { reason: 'nothing is outdated', facts: { pools: [aPool('a')] }, operation: undefined },
  {
    reason: 'the control plane comes first, and its nodes are steps already',
    facts: {
      version: OLD,
      choice: { version: NEW, waiting: { reason: 'Updating', message: 'from old to new' } },
      pools: [aPool('a'), aPool('b')],
    },
    operation: { state: 'Processing', progress: 0, steps: { done: 0, total: 11 }, description: 'from old to new' },
  },
  {
    reason: 'a control plane that waits for its window has not begun',
    facts: { version: OLD, choice: { version: OLD, waiting: { reason: 'WaitingForMaintenanceWindow', message: '' } } },
    operation: undefined,
  },
  {
    reason: 'the control plane is done, and no pool has been looked at',
    facts: { pools: [aPool('a')], machinesOf: () => [old, old] },
    before: OLD,
    operation: {
      progress: 33,
      steps: { done: 1, total: 3 },
      description: 'the nodes are updated after the control plane',
    },
  },
  {
    reason: 'the operation lasts until the nodes are updated, even after a crash',
    facts: { pools: [aPool('a')], machinesOf: () => [old, old] },
    last: { ...GOING_ON, steps: { done: 1, total: 3 } },
    operation: {
      progress: 33,
      steps: { done: 1, total: 3 },
      description: 'the nodes are updated after the control plane',
    },
  },
  {
    reason: 'a node of an unlike kubelet alone is no upgrade',
    facts: {
      pools: [aPool('a')],
      machinesOf: () => [{ ...old, spec: { ...old.spec, version: NEW }, status: { version: OLD } }],
    },
    last: GOING_ON,
    operation: undefined,
  },
  {
    reason: 'a new image alone begins with its first node',
    facts: { pools: [aPool('a', { total: 5, done: 2 })] },
    operation: { progress: 40, steps: { done: 2, total: 5 }, description: 'the nodes of pool a are being updated' },
  },
  {
    reason: 'one that has not taken a node and waits has not begun',
    facts: { pools: [aPool('a', { ...waitingForWindow, startTime: undefined } as Partial<PoolUpgrade>)] },
    operation: undefined,
  },
  {
    reason: 'but belongs to the operation that the control plane began',
    facts: { pools: [aPool('a', { ...waitingForWindow, startTime: undefined } as Partial<PoolUpgrade>)] },
    last: GOING_ON,
    operation: {
      state: 'Pending',
      reason: 'WaitingForMaintenanceWindow',
      since: NOW,
      description: 'pool a: it opens at 2',
      steps: { done: 6, total: 11 },
    },
  },
  {
    reason: 'what one pool waits for is not told while another moves',
    facts: { pools: [aPool('a', { ...waitingForWindow } as Partial<PoolUpgrade>), aPool('b', { done: 1 })] },
    last: GOING_ON,
    operation: { state: 'Processing', description: 'the nodes of pool b are being updated' },
  },
  {
    reason: 'a pool that has halted is, whoever moves',
    facts: {
      pools: [aPool('a', { state: 'Halted', reason: 'UpgradeHalted', message: 'it failed', since: NOW }), aPool('b')],
    },
    operation: { state: 'Error', reason: 'UpgradeHalted', description: 'pool a: it failed' },
  },
  {
    reason: 'a drain that a budget holds up is told',
    facts: { pools: [aPool('a', { reason: 'PodDisruptionBudget', message: 'web keeps its pods', since: NOW })] },
    operation: { state: 'Error', reason: 'PodDisruptionBudget', since: NOW, description: 'pool a: web keeps its pods' },
  },
  {
    reason: 'a pool that waits for others takes as long for a node as they do',
    facts: {
      pools: [
        aPool('a', {
          done: 3,
          estimatedEndTime: '2026-01-01T00:20:00Z',
          pace: { time: NOW, done: 1, lastTime: '2026-01-01T00:10:00Z' },
        }),
        aPool('b', { state: 'Waiting', reason: 'WaitingForPools', message: '', since: NOW }),
      ],
    },
    operation: { estimatedEndTime: '2026-01-01T00:45:00Z' },
  },
  {
    reason: 'nobody is going to renew what is left to the user',
    facts: { pools: [aPool('a', { state: 'Waiting', reason: 'UpdateAvailable', message: '', since: NOW })] },
    last: GOING_ON,
    operation: undefined,
  },
  {
    reason: 'an upgrade that its user has ended has failed, at what is done',
    facts: { pools: [aPool('a', { state: 'Aborted', reason: 'UpgradeAborted', message: '', since: NOW })] },
    last: GOING_ON,
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
    renewalSeconds: () => undefined,
    ...facts,
  };
  const told = upgradeOperation(cluster, all);
  expect({ told }).toMatchObject({ told: operation && { type: 'Upgrade', ...operation } });
});

test.each([
  { reason: 'the control plane was measured, and the nodes seen', last: undefined, expectedSeconds: 160 },
  { reason: 'nodes of the version before came first', last: GOING_ON, expectedSeconds: undefined },
])('an upgrade is expected to take $expectedSeconds s: $reason', ({ last, expectedSeconds }) => {
  const durations = [{ what: 'ControlPlane' as const, seconds: 100 }];
  const cluster = { ...aCluster(), status: { version: OLD, durations, ...(last && { lastOperation: last }) } };
  const told = upgradeOperation(cluster, {
    choice: { version: NEW, waiting: undefined },
    version: OLD,
    pools: [aPool('a')],
    machinesOf: () => [],
    renewalSeconds: () => 60,
  });

  expect(told?.expectedSeconds).toBe(expectedSeconds);
});
