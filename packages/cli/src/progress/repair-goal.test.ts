import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { machineRepaired } from './repair-goal.ts';

const REQUESTED = '2026-11-22T00:00:00.000Z';
const repair = (due: boolean, reason = 'RepairRequested') =>
  ({ due, reason, message: `because of ${reason}`, time: REQUESTED, strategy: 'Reinstall' }) as const;

function machine(status: Partial<MachineStatus>, metadata: Machine['metadata'] = {}): Machine {
  return { metadata: { name: 'a', uid: 'u', ...metadata }, spec: {}, status } as Machine;
}

function pool(hasStarted: boolean, isReady = true): NodePool {
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: 'Scaling',
    message: 'on its way',
  } as const;
  const conditions = [{ ...ready, lastTransitionTime: REQUESTED }];
  const healing = hasStarted ? { healing: { requests: [{ machine: 'a', value: REQUESTED }] } } : {};
  return { ...aNodePool({}, { generation: 1 }), status: { observedGeneration: 1, conditions, ...healing } };
}

test.each<{ reason: string; machines: readonly Machine[]; pools: readonly NodePool[]; outcome: object }>([
  {
    reason: 'the request is not observed yet, and the node is healthy',
    machines: [machine({ phase: 'Ready' })],
    pools: [pool(false)],
    outcome: { state: 'running' },
  },
  {
    reason: 'the repair has begun',
    machines: [machine({ phase: 'Ready', marks: { repair: repair(true) } })],
    pools: [pool(true)],
    outcome: { state: 'running' },
  },
  {
    reason: "the repair waits for the cluster's API",
    machines: [machine({ marks: { repair: repair(false, 'WaitingForControlPlane') } })],
    pools: [pool(false)],
    outcome: { state: 'running' },
  },
  {
    reason: 'the repair waits for a person',
    machines: [machine({ marks: { repair: repair(false, 'ExcludedFromHealing') } })],
    pools: [pool(false)],
    outcome: { state: 'blocked', reason: 'ExcludedFromHealing', message: 'because of ExcludedFromHealing' },
  },
  {
    reason: 'the machine was reinstalled',
    machines: [machine({ phase: 'Ready' })],
    pools: [pool(true)],
    outcome: { state: 'done' },
  },
  {
    reason: 'the machine is being replaced',
    machines: [machine({ marks: { repair: repair(true) } }, { deletionTimestamp: REQUESTED })],
    pools: [pool(true)],
    outcome: { state: 'running' },
  },
  {
    reason: 'the replacement is being created',
    machines: [],
    pools: [pool(true, false)],
    outcome: { state: 'running' },
  },
  { reason: 'the replacement is ready', machines: [], pools: [pool(true)], outcome: { state: 'done' } },
])('$outcome.state: $reason', ({ machines, pools, outcome }) => {
  const goal = machineRepaired(machine({}), REQUESTED, 'general');

  expect(goal.outcome({ cluster: aCluster(), pools, machines })).toEqual(outcome);
});
