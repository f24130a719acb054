import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import type { NodePool, NodePoolStatus } from '@fairway/api/kinds/node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import { findCondition } from '@fairway/kube/controller/conditions';
import { describe, expect, test } from 'vitest';
import { type PoolFacts, poolStatus } from './status.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const desired = { flavor: 'b3-8', image: 'img', version: '1.34.2', floatingIP: false, zones: [] };

interface MachineOptions {
  readonly reason?: string;
  readonly version?: string;
  readonly isLeaving?: boolean;
}

function machine(name: string, phase: MachinePhase, machineOptions: MachineOptions = {}): Machine {
  const { reason = phase === 'Ready' ? 'AsExpected' : 'WaitingForNode', version = desired.version } = machineOptions;
  const ready = {
    type: 'Ready',
    status: phase === 'Ready' ? ('True' as const) : ('False' as const),
    reason,
    message: phase === 'Ready' ? '' : 'not yet',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    metadata: { name, ...(machineOptions.isLeaving && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { ...desired, version, clusterName: 'demo', nodePoolName: 'general' },
    status: { phase, version, conditions: [ready] },
  };
}

const A = machine('a', 'Ready');
const B = machine('b', 'Ready');
const NEW_MACHINE = machine('c', 'Installing');
const DELETE_STUCK = machine('d', 'Pending', { reason: 'QuotaExceeded' });
const LEAVING_MACHINE = machine('e', 'Draining', { isLeaving: true });
const OLD = machine('f', 'Ready', { version: '1.33.4' });

function statusOf(replicas: number, facts: Partial<PoolFacts>, status?: NodePoolStatus): NodePoolStatus {
  const pool: NodePool = { ...aNodePool({ replicas }, { generation: replicas }), ...(status && { status }) };
  const nothing: PoolFacts = {
    machines: [],
    desired,
    problem: undefined,
    serverGroupID: undefined,
    flavor: undefined,
    isSchedulable: () => true,
    nowMs: NOW_MS,
  };
  return poolStatus(pool, { ...nothing, ...facts });
}

const imageNotFound = { reason: 'ImageNotFound' as const, message: 'no such image' };
const away = { reason: 'CloudUnavailable' as const, message: 'glance: no answer' };

describe('phase, condition and operation of a pool', () => {
  const creating = statusOf(2, {});
  const ready = statusOf(2, { machines: [A, B] }, creating);
  const scaling = statusOf(3, { machines: [A, B] }, ready);

  test.each<{
    previous?: NodePoolStatus;
    replicas: number;
    facts: Partial<PoolFacts>;
    phase: string;
    expectedMessage: string;
    operation: string;
    reason: string;
  }>([
    {
      replicas: 2,
      facts: {},
      phase: 'Pending',
      expectedMessage: 'Scaling',
      operation: 'Create Processing 0',
      reason: 'new',
    },
    {
      replicas: 2,
      facts: { machines: [A, NEW_MACHINE] },
      phase: 'Provisioning',
      expectedMessage: 'WaitingForNode',
      operation: 'Create Processing 47',
      reason: 'half of the nodes exist',
    },
    {
      replicas: 2,
      facts: { machines: [A, NEW_MACHINE, DELETE_STUCK] },
      phase: 'Failed',
      expectedMessage: 'QuotaExceeded',
      operation: 'Create Error 31',
      reason: 'the pool reports the machine that waits for the user',
    },
    {
      replicas: 2,
      facts: { problem: imageNotFound, desired: undefined },
      phase: 'Failed',
      expectedMessage: 'ImageNotFound',
      operation: 'Create Error 0',
      reason: 'the user must act before anything is created',
    },
    {
      previous: statusOf(2, { problem: imageNotFound, desired: undefined }),
      replicas: 2,
      facts: { machines: [NEW_MACHINE] },
      phase: 'Provisioning',
      expectedMessage: 'WaitingForNode',
      operation: 'Create Processing 0',
      reason: 'the cause of the failure is resolved, and the pool never had a node',
    },
    {
      previous: creating,
      replicas: 2,
      facts: { machines: [A, B] },
      phase: 'Ready',
      expectedMessage: 'AsExpected',
      operation: 'Create Succeeded 100',
      reason: 'all nodes exist',
    },
    {
      replicas: 0,
      facts: {},
      phase: 'Ready',
      expectedMessage: 'AsExpected',
      operation: 'Create Succeeded 100',
      reason: 'empty',
    },
    {
      previous: ready,
      replicas: 3,
      facts: { machines: [A, B] },
      phase: 'Scaling',
      expectedMessage: 'Scaling',
      operation: 'Scale Processing 63',
      reason: 'more nodes are requested',
    },
    {
      previous: scaling,
      replicas: 3,
      facts: { machines: [A, B, NEW_MACHINE] },
      phase: 'Scaling',
      expectedMessage: 'WaitingForNode',
      operation: 'Scale Processing 63',
      reason: 'scaling continues until the last node is ready',
    },
    {
      previous: ready,
      replicas: 0,
      facts: { machines: [LEAVING_MACHINE] },
      phase: 'Scaling',
      expectedMessage: 'Scaling',
      operation: 'Scale Processing 0',
      reason: 'nodes are being deleted',
    },
    {
      previous: ready,
      replicas: 2,
      facts: { machines: [A, machine('b', 'NotReady', { reason: 'NodeNotReady' })] },
      phase: 'Degraded',
      expectedMessage: 'NodeNotReady',
      operation: 'Reconcile Processing 47',
      reason: 'a node failed',
    },
    {
      previous: ready,
      replicas: 3,
      facts: { machines: [A, B, DELETE_STUCK] },
      phase: 'Scaling',
      expectedMessage: 'QuotaExceeded',
      operation: 'Scale Error 63',
      reason: 'the quota is used up, and no existing node is affected',
    },
    {
      previous: ready,
      replicas: 3,
      facts: { machines: [A, B, NEW_MACHINE] },
      phase: 'Scaling',
      expectedMessage: 'WaitingForNode',
      operation: 'Scale Processing 63',
      reason: 'a requested node is created in the same pass',
    },
    {
      previous: scaling,
      replicas: 3,
      facts: { machines: [A, machine('b', 'NotReady', { reason: 'NodeNotReady' }), NEW_MACHINE] },
      phase: 'Degraded',
      expectedMessage: 'NodeNotReady',
      operation: 'Scale Processing 31',
      reason: 'a node failed while others were added',
    },
    {
      previous: ready,
      replicas: 2,
      facts: { machines: [A, machine('g', 'Pending', { reason: 'FlavorOutOfStock' })] },
      phase: 'Degraded',
      expectedMessage: 'FlavorOutOfStock',
      operation: 'Reconcile Error 47',
      reason: 'an existing node disappeared without a request',
    },
    {
      replicas: 2,
      facts: { machines: [A, machine('b', 'Installing', { reason: 'NodeStartupTimeout' })] },
      phase: 'Degraded',
      expectedMessage: 'NodeStartupTimeout',
      operation: 'Create Error 47',
      reason: 'a deadline has passed, even for the first node',
    },
    {
      previous: ready,
      replicas: 2,
      facts: { machines: [A, B], problem: away, desired: undefined },
      phase: 'Ready',
      expectedMessage: 'AsExpected',
      operation: 'Create Succeeded 100',
      reason: 'the cloud is unavailable, and nothing waits for it',
    },
    {
      previous: ready,
      replicas: 3,
      facts: { machines: [A, B], problem: away, desired: undefined },
      phase: 'Scaling',
      expectedMessage: 'CloudUnavailable',
      operation: 'Scale Error 63',
      reason: 'the cloud is unavailable, and a node waits for it',
    },
    {
      previous: ready,
      replicas: 2,
      facts: { machines: [A, B], problem: imageNotFound, desired: undefined },
      phase: 'Degraded',
      expectedMessage: 'ImageNotFound',
      operation: 'Reconcile Error 95',
      reason: 'the image of the nodes no longer exists',
    },
    {
      previous: scaling,
      replicas: 3,
      facts: { machines: [A, B, machine('c', 'Ready')] },
      phase: 'Ready',
      expectedMessage: 'AsExpected',
      operation: 'Scale Succeeded 100',
      reason: 'scaled',
    },
  ])(
    '$phase, $expectedMessage, $operation: $reason',
    ({ previous, replicas, facts, phase, expectedMessage, operation }) => {
      const status = statusOf(replicas, facts, previous);
      const { type, state, progress } = status.lastOperation ?? {};

      expect(status.phase).toBe(phase);
      expect(findCondition(status.conditions, 'MachinesReady')?.reason).toBe(expectedMessage);
      expect(findCondition(status.conditions, 'Ready')?.reason).toBe(expectedMessage);
      expect(`${type} ${state} ${progress}`).toBe(operation);
    },
  );

  test('a pool is Scaling after autoscaling has changed its size, even with an unchanged spec', () => {
    const previous: NodePoolStatus = { ...ready, desiredReplicas: 1 };

    expect(statusOf(2, { machines: [A, NEW_MACHINE] }, previous)).toMatchObject({
      phase: 'Scaling',
      lastOperation: { type: 'Scale' },
    });
  });

  test('an unchanged pool keeps its status', () => {
    expect(statusOf(2, { machines: [A, B], nowMs: NOW_MS + 60_000 }, ready)).toEqual(ready);
  });
});

describe('the counts of a pool', () => {
  test('exclude machines being deleted, and distinguish ready, up-to-date and available ones', () => {
    const facts = { machines: [A, B, OLD, NEW_MACHINE, LEAVING_MACHINE], isSchedulable: (one: Machine) => one !== B };

    expect(statusOf(4, facts)).toMatchObject({
      observedGeneration: 4,
      replicas: 4,
      readyReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 2,
      readySummary: '3/4',
      version: '1.33.4',
      selector: 'fairway.dev/cluster=demo,fairway.dev/node-pool=general',
    });
  });

  test.each([
    { machines: [A, B], status: 'True', expectedMessage: '' },
    { machines: [A, OLD], status: 'False', expectedMessage: '1 of 2 machines have a version' },
  ])('UpToDate is $status: $expectedMessage', ({ machines, status, expectedMessage }) => {
    const condition = findCondition(statusOf(2, { machines }).conditions, 'UpToDate');

    expect(condition?.status).toBe(status);
    expect(condition?.message).toContain(expectedMessage);
  });
});

describe('a pool whose desired template is unknown', () => {
  const withoutTemplate = { desired: undefined, problem: away };

  test('keeps its previous counts instead of reporting all machines as outdated', () => {
    const known = statusOf(2, { machines: [A, B], serverGroupID: 'group' });
    const status = statusOf(2, { ...withoutTemplate, machines: [A, B] }, known);

    expect(status).toMatchObject({ updatedReplicas: 2, imageID: 'img', serverGroupID: 'group' });
    expect(findCondition(status.conditions, 'UpToDate')?.status).toBe('True');
  });

  test('reports UpToDate as Unknown if it was never known', () => {
    const status = statusOf(2, withoutTemplate);

    expect(findCondition(status.conditions, 'UpToDate')).toMatchObject({
      status: 'Unknown',
      reason: 'CloudUnavailable',
      message: 'glance: no answer',
    });
  });
});

describe('a pool with an update in progress', () => {
  const due = { due: true, reason: 'Updating', message: '', time: '2026-01-01T00:00:00Z' };
  const renewed = (name: string, phase: MachinePhase, isLeaving = false): Machine => {
    const old = machine(name, phase, { version: '1.33.4', isLeaving });
    return { ...old, status: { ...old.status, marks: { renewal: { ...due, strategy: 'Rolling' } } } };
  };
  const before = statusOf(2, { machines: [A, B] }, statusOf(2, {}));

  test.each([
    {
      case: 'a surge machine is still being created',
      machines: [OLD, renewed('g', 'Ready'), NEW_MACHINE],
      ready: 'True',
    },
    { case: 'an old machine is being deleted', machines: [A, OLD, renewed('g', 'Draining', true)], ready: 'True' },
    { case: 'a machine is missing', machines: [renewed('g', 'Ready'), NEW_MACHINE], ready: 'False' },
  ])('is Updating while $case', ({ machines, ready }) => {
    const { phase, conditions, lastOperation } = statusOf(2, { machines }, before);

    expect({ phase, ready: findCondition(conditions, 'Ready')?.status }).toEqual({ phase: 'Updating', ready });
    expect(lastOperation).toMatchObject({ type: 'Upgrade', state: 'Processing' });
  });

  test('reports how many nodes are updated', () => {
    const machines = [A, renewed('g', 'Ready')];

    expect(statusOf(2, { machines }, before).lastOperation).toMatchObject({
      progress: 47,
      description: '1 of 2 nodes are updated',
    });
  });

  test('does not count a machine as updated until its disk matches the spec', () => {
    const installed = { serverID: 's', image: desired.image, version: '1.33.4' };
    const reinstalled = { ...A, status: { ...A.status, installed } };

    expect(statusOf(1, { machines: [reinstalled] })).toMatchObject({ updatedReplicas: 0 });
  });
});

test('an invalid schedule is reported in Autoscaled', () => {
  const problem = 'spec.autoscaling.schedules[0].end: is no schedule';
  const pool = {
    ...aNodePool({ autoscaling: { enabled: true } }),
    status: { bounds: { minReplicas: 0, maxReplicas: 5, problem } },
  };
  const nothing = { machines: [], desired, problem: undefined, serverGroupID: undefined, flavor: undefined };

  const status = poolStatus(pool, { ...nothing, isSchedulable: () => true, nowMs: NOW_MS });

  expect(findCondition(status.conditions, 'Autoscaled')).toMatchObject({
    status: 'False',
    reason: 'ConfigurationInvalid',
    message: `a schedule has no effect: ${problem}`,
  });
  expect(status.bounds).toEqual(pool.status.bounds);
});

describe('the machine reported by a pool', () => {
  const failing = (name: string) => machine(name, 'Pending', { reason: 'FlavorOutOfStock' });
  const installingMachine = (name: string) => machine(name, 'Installing', { reason: 'WaitingForServer' });
  const messageOf = (status: NodePoolStatus) => findCondition(status.conditions, 'Ready')?.message;
  const first = statusOf(3, { machines: [failing('a'), failing('b'), failing('c')] });

  test('stays the same while other machines with the same cause are retried in turn', () => {
    const second = statusOf(3, { machines: [installingMachine('a'), failing('b'), failing('c')] }, first);
    const third = statusOf(3, { machines: [failing('a'), installingMachine('b'), failing('c')] }, second);

    expect(messageOf(first)).toBe('0/3 nodes are ready; a: not yet; since 2026-01-01T00:00:00Z');
    expect([second, third].map(messageOf)).toEqual([messageOf(first), messageOf(first)]);
  });

  test.each([
    {
      reason: 'it is ready',
      machines: [machine('a', 'Ready'), failing('b')],
      message: '1/2 nodes are ready; b: not yet; since 2026-01-01T00:00:00Z',
    },
    {
      reason: 'it was deleted',
      machines: [failing('b'), failing('c')],
      message: '0/2 nodes are ready; b: not yet; since 2026-01-01T00:00:00Z',
    },
  ])('changes when $reason', ({ machines, message }) => {
    const before = statusOf(2, { machines: [failing('a'), failing('b')] });

    expect(messageOf(statusOf(2, { machines }, before))).toBe(message);
  });
});
