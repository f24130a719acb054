import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { type PoolFacts, planUpgrade } from './pool-upgrade.ts';
import { targetName } from './progress.ts';

const NEW = '1.35.0';
const OLD = '1.34.2';
const NOW_MS = 3_600_000;
const MINUTE_MS = 60_000;

interface MachineOptions {
  readonly version?: string;
  readonly phase?: MachineStatus['phase'];
  readonly isDue?: boolean;
  readonly isLeaving?: boolean;
  readonly annotations?: Record<string, string>;
  readonly status?: MachineStatus;
}

function machine(name: string, machineOptions: MachineOptions = {}): Machine {
  const { version = OLD, phase = 'Ready', isDue = false, isLeaving = false, annotations, status } = machineOptions;
  const renewal = { due: true, reason: 'Updating', message: '', time: formatTime(0), strategy: 'Rolling' as const };
  return {
    metadata: {
      name,
      creationTimestamp: formatTime(0),
      ...(isLeaving && { deletionTimestamp: formatTime(0) }),
      ...(annotations && { annotations }),
    },
    spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'b3-8', image: 'img', version, floatingIP: false },
    status: { phase, ...(isDue && { marks: { renewal } }), ...status },
  };
}

const done = (name: string, machineOptions: MachineOptions = {}) => machine(name, { version: NEW, ...machineOptions });
const late = { startup: { serverID: 's', activeTime: formatTime(0), timedOutTime: formatTime(NOW_MS - MINUTE_MS) } };

function poolWith(spec: Parameters<typeof aNodePool>[0], status: NodePool['status'] = {}, annotations = {}): NodePool {
  return { ...aNodePool(spec, { annotations }), status: { imageID: 'img', image: { earlierIDs: [] }, ...status } };
}

function planOf(machines: readonly Machine[], facts: Partial<PoolFacts> = {}) {
  const { marks, upgrade } = planUpgrade({
    cluster: { ...aCluster({ version: '1.35' }), status: { version: NEW, desiredVersion: NEW } },
    pool: poolWith({}),
    machines,
    replicas: 3,
    strategy: 'Rolling',
    limits: { maxSurge: 1, maxUnavailable: 0 },
    room: Number.POSITIVE_INFINITY,
    hold: undefined,
    hasWindow: false,
    asked: undefined,
    automatic: undefined,
    forced: undefined,
    startupTimeoutMs: 10 * MINUTE_MS,
    nowMs: NOW_MS,
    ...facts,
  });
  const due = [...marks].filter(([, mark]) => mark?.due).map(([{ metadata }]) => metadata.name);
  return { due, marks: new Map([...marks].map(([{ metadata }, mark]) => [metadata.name, mark])), upgrade };
}

describe('the next machines to update', () => {
  const wideLimits = { limits: { maxSurge: 2, maxUnavailable: 1 } };

  test.each([
    { reason: 'none if all are up to date', machines: [done('a'), done('b')], due: [] },
    { reason: 'one at a time', machines: [machine('a'), machine('b'), done('c')], due: ['a'] },
    {
      reason: 'a single one until the new template has proven to work',
      machines: [machine('a'), machine('b'), machine('c')],
      facts: wideLimits,
      due: ['a'],
    },
    {
      reason: 'up to the surge or unavailable limit after that',
      machines: [machine('a'), machine('b'), machine('c'), machine('d'), done('e')],
      facts: wideLimits,
      due: ['a', 'b', 'c'],
    },
    {
      reason: 'machines in progress count',
      machines: [machine('a', { isLeaving: true }), machine('b'), machine('c'), done('d')],
      due: [],
    },
    {
      reason: 'a machine in progress stays selected',
      machines: [machine('a'), machine('b', { isDue: true }), done('c')],
      due: ['b'],
    },
    {
      reason: 'broken machines come first',
      machines: [machine('a'), machine('b', { phase: 'NotReady' }), done('c')],
      due: ['b'],
    },
    {
      reason: 'machines marked for deletion come next',
      machines: [machine('a'), machine('b', { annotations: { 'fairway.dev/delete-first': '' } }), done('c')],
      due: ['b'],
    },
    {
      reason: 'the oldest version comes next',
      machines: [machine('a'), machine('b', { version: '1.34.1' })],
      due: ['b'],
    },
    {
      reason: 'a paused machine is skipped',
      machines: [machine('a', { annotations: { 'fairway.dev/paused': '' } }), machine('b'), done('c')],
      due: ['b'],
    },
  ])('$reason', ({ machines, facts, due }) => {
    expect(planOf(machines, facts).due).toEqual(due);
  });

  test('a waiting upgrade reports what it is waiting for, and when the wait began', () => {
    const { marks } = planOf([machine('a'), machine('b'), done('c')]);

    expect(marks.get('a')).toMatchObject({ due: true, message: 'version 1.34.2 instead of 1.35.0' });
    expect(marks.get('b')).toMatchObject({ due: false, reason: 'Updating', time: formatTime(NOW_MS) });
    expect(marks.get('c')).toBeUndefined();
  });
});

describe('a machine in progress', () => {
  const inPlace = { strategy: 'InPlace' } as const;
  const installed = { serverID: 's', image: 'img', version: NEW };
  const reinstall = { image: 'img', version: NEW, startTime: formatTime(0), wasCordoned: false };
  const repair = {
    due: true,
    reason: 'NodeNotReady',
    message: '',
    time: formatTime(0),
    strategy: 'Reinstall' as const,
  };

  test.each([
    { what: 'the first installation', status: { phase: 'Installing' as const, installed } },
    { what: 'a repair', status: { phase: 'Installing' as const, installed, reinstall, marks: { repair } } },
  ])('is not an upgrade during $what if its pool is up to date', ({ status }) => {
    expect(planOf([done('a', { status }), done('b')], inPlace).upgrade).toBeUndefined();
  });

  test('is an upgrade if its node is returning from an update', () => {
    const status = { phase: 'Installing' as const, installed, reinstall };

    expect(planOf([done('a', { status }), done('b')], inPlace).upgrade).toMatchObject({ state: 'Running' });
  });
});

describe('an in-place update', () => {
  const inPlace = { strategy: 'InPlace', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const installed = { serverID: 's', image: 'img', version: OLD };

  test.each([
    { reason: 'selects one at a time', given: {}, due: ['a'], strategy: 'InPlace' },
    {
      reason: 'uses new machines if the cloud cannot rebuild the server',
      given: { status: { installed: { ...installed, canReinstall: false as const } } },
      due: ['a'],
      strategy: 'Rolling',
    },
  ])('$reason', ({ given, due, strategy }) => {
    const plan = planOf([machine('a', given), machine('b'), done('c')], inPlace);

    expect(plan.due).toEqual(due);
    expect(plan.marks.get('a')?.strategy).toBe(strategy);
  });

  test('does not select another machine while one is still being reinstalled', () => {
    const reinstall = { image: 'img', version: NEW, startTime: formatTime(0), wasCordoned: false };
    const status = { installed: { ...installed, version: NEW }, reinstall };
    const returningMachine = done('c', { phase: 'NotReady', status });

    expect(planOf([machine('a'), machine('b'), returningMachine], inPlace).due).toEqual([]);
  });
});

describe('an upgrade that is delayed', () => {
  const target = targetName({ flavor: 'b3-8', image: 'img', version: NEW, zones: [] });
  const machines = [machine('a', { isDue: true }), machine('b'), done('c'), done('extra', { phase: 'Installing' })];
  const freeze = { kind: 'Freeze', reason: 'WaitingForControlPlane', message: 'away' } as const;
  const paused = { pool: poolWith({ upgradeStrategy: { paused: true } }) };
  const aborted = { pool: poolWith({}, {}, { 'fairway.dev/abort-upgrade': target }) };

  test.each([
    {
      reason: 'is unchanged while the API server is unavailable',
      facts: { hold: freeze },
      due: ['a'],
      state: 'Running',
    },
    {
      reason: 'completes the machine whose replacement is being created during a pause',
      facts: paused,
      due: ['a'],
      state: 'Paused',
    },
    { reason: 'stops immediately if it is aborted', facts: aborted, due: [], state: 'Aborted' },
    {
      reason: 'is not affected by the abort of another upgrade',
      facts: { pool: poolWith({}, {}, { 'fairway.dev/abort-upgrade': 'other' }) },
      due: ['a'],
      state: 'Running',
    },
  ])('$reason', ({ facts, due, state }) => {
    const plan = planOf(machines, facts);

    expect({ due: plan.due, state: plan.upgrade?.state }).toEqual({ due, state });
  });

  test('does not select a machine without a replacement during a pause', () => {
    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c')], paused).due).toEqual([]);
  });

  test('an upgrade halts if a new node has not joined in time', () => {
    const broken = done('extra', { phase: 'Installing', status: late });
    const { due, upgrade } = planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken]);

    expect(due).toEqual(['a']);
    expect(upgrade).toMatchObject({ state: 'Halted', reason: 'UpgradeHalted' });
    expect(upgrade?.message).toContain('extra is already updated and does not work');
  });

  test.each([
    { reason: 'continues within its time limit', minutes: 9, state: 'Running' },
    { reason: 'halts after its time limit', minutes: 10, state: 'Halted' },
  ])('an upgrade with a broken new node: $reason', ({ minutes, state }) => {
    const notReadyTime = formatTime(NOW_MS - minutes * MINUTE_MS);
    const broken = done('c', { phase: 'NotReady', status: { readyTime: formatTime(0), notReadyTime } });

    expect(planOf([machine('a', { isDue: true }), machine('b'), broken]).upgrade?.state).toBe(state);
  });

  test('an upgrade continues after a retry request', () => {
    const broken = done('extra', { phase: 'Installing', status: late });
    const last = planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken]).upgrade;
    const retryAnnotations = { 'fairway.dev/retry-requested': 'now' };
    const pool = poolWith({}, last ? { upgrade: last } : {}, retryAnnotations);

    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken], { pool }).upgrade?.state).toBe(
      'Running',
    );
  });

  test('an exhausted quota is reported, and does not halt the upgrade', () => {
    const ready = { type: 'Ready', status: 'False' as const, reason: 'QuotaExceeded', message: 'no cores left' };
    const status = { conditions: [{ ...ready, lastTransitionTime: formatTime(0) }] };
    const extra = done('extra', { phase: 'Pending', status });

    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c'), extra]).upgrade).toMatchObject({
      state: 'Running',
      reason: 'QuotaExceeded',
      message: 'extra: no cores left',
    });
  });

  test('a plan without room for another node is reported', () => {
    const plan = planOf([machine('a', { isDue: true }), machine('b'), done('c')], { room: 0 });

    expect(plan.upgrade).toMatchObject({ state: 'Running', reason: 'PlanLimitExceeded' });
  });
});

describe('the end of an upgrade', () => {
  test.each([
    {
      reason: 'waits for the last old machine to be deleted',
      machines: [done('a'), done('b'), machine('c', { isLeaving: true })],
      state: 'Running',
    },
    {
      reason: 'waits for the last new machine to work',
      machines: [done('a'), done('b', { phase: 'Installing' })],
      state: 'Running',
    },
    { reason: 'is reached when all machines are new and work', machines: [done('a'), done('b')], state: 'Complete' },
  ])('$reason', ({ machines, state }) => {
    const last = planOf([machine('a', { isDue: true }), machine('b'), done('c')]).upgrade;

    expect(planOf(machines, { pool: poolWith({}, last ? { upgrade: last } : {}) }).upgrade?.state).toBe(state);
  });

  test.each(['Waiting', 'Paused', 'Halted', 'Aborted', 'Running'] as const)(
    'is reached if the upgrade is reverted while it is %s',
    (state) => {
      const upgrade = { target: 'another', strategy: 'Rolling', state, total: 2, done: 0, summary: '0/2' } as const;
      const wait = { reason: 'MaintenanceWindow', message: 'waits for its window', since: formatTime(0) };
      const pool = poolWith({}, { upgrade: { ...upgrade, ...wait } });

      const plan = planOf([done('a'), done('b')], { pool });

      expect(plan.upgrade).toMatchObject({ state: 'Complete', total: 0 });
      expect(plan.upgrade).not.toHaveProperty('reason');
    },
  );

  test('is still reported if the pool’s spec changes to the current state of its nodes', () => {
    const upgrade = {
      target: 'another',
      strategy: 'Rolling',
      state: 'Complete',
      total: 2,
      done: 2,
      summary: '2/2',
    } as const;

    expect(planOf([done('a')], { pool: poolWith({}, { upgrade }) }).upgrade).toEqual(upgrade);
  });

  test('is not reported for a pool without any update', () => {
    expect(planOf([done('a'), done('b')]).upgrade).toBeUndefined();
  });
});
