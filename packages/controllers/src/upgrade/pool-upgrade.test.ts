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

interface Given {
  readonly version?: string;
  readonly phase?: MachineStatus['phase'];
  readonly isDue?: boolean;
  readonly isLeaving?: boolean;
  readonly annotations?: Record<string, string>;
  readonly status?: MachineStatus;
}

function machine(name: string, given: Given = {}): Machine {
  const { version = OLD, phase = 'Ready', isDue = false, isLeaving = false, annotations, status } = given;
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

const done = (name: string, given: Given = {}) => machine(name, { version: NEW, ...given });
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

describe('whose turn it is', () => {
  const wide = { limits: { maxSurge: 2, maxUnavailable: 1 } };

  test.each([
    { reason: 'nobody, where all is as asked for', machines: [done('a'), done('b')], due: [] },
    { reason: 'one at a time', machines: [machine('a'), machine('b'), done('c')], due: ['a'] },
    {
      reason: 'one alone until the new kind has shown that it works',
      machines: [machine('a'), machine('b'), machine('c')],
      facts: wide,
      due: ['a'],
    },
    {
      reason: 'then as many as may be extra or away',
      machines: [machine('a'), machine('b'), machine('c'), machine('d'), done('e')],
      facts: wide,
      due: ['a', 'b', 'c'],
    },
    {
      reason: 'those that are on their way count',
      machines: [machine('a', { isLeaving: true }), machine('b'), machine('c'), done('d')],
      due: [],
    },
    {
      reason: 'whose turn it is keeps it',
      machines: [machine('a'), machine('b', { isDue: true }), done('c')],
      due: ['b'],
    },
    {
      reason: 'who does not work goes first',
      machines: [machine('a'), machine('b', { phase: 'NotReady' }), done('c')],
      due: ['b'],
    },
    {
      reason: 'then who is to go first anyway',
      machines: [machine('a'), machine('b', { annotations: { 'fairway.dev/delete-first': '' } }), done('c')],
      due: ['b'],
    },
    { reason: 'then the oldest version', machines: [machine('a'), machine('b', { version: '1.34.1' })], due: ['b'] },
    {
      reason: 'a paused one is passed over',
      machines: [machine('a', { annotations: { 'fairway.dev/paused': '' } }), machine('b'), done('c')],
      due: ['b'],
    },
  ])('$reason', ({ machines, facts, due }) => {
    expect(planOf(machines, facts).due).toEqual(due);
  });

  test('what waits says for what, and since when', () => {
    const { marks } = planOf([machine('a'), machine('b'), done('c')]);

    expect(marks.get('a')).toMatchObject({ due: true, message: 'version 1.34.2 instead of 1.35.0' });
    expect(marks.get('b')).toMatchObject({ due: false, reason: 'Updating', time: formatTime(NOW_MS) });
    expect(marks.get('c')).toBeUndefined();
  });
});

describe('what is no upgrade', () => {
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
  ])('is $what of a pool that is as asked for', ({ status }) => {
    expect(planOf([done('a', { status }), done('b')], inPlace).upgrade).toBeUndefined();
  });

  test('unlike a node on its way back', () => {
    const status = { phase: 'Installing' as const, installed, reinstall };

    expect(planOf([done('a', { status }), done('b')], inPlace).upgrade).toMatchObject({ state: 'Running' });
  });
});

describe('a renewal in place', () => {
  const inPlace = { strategy: 'InPlace', limits: { maxSurge: 1, maxUnavailable: 0 } } as const;
  const installed = { serverID: 's', image: 'img', version: OLD };

  test.each([
    { reason: 'takes one at a time', given: {}, due: ['a'], strategy: 'InPlace' },
    {
      reason: 'is one with new machines where the cloud does not rebuild the server',
      given: { status: { installed: { ...installed, canReinstall: false as const } } },
      due: ['a'],
      strategy: 'Rolling',
    },
  ])('$reason', ({ given, due, strategy }) => {
    const plan = planOf([machine('a', given), machine('b'), done('c')], inPlace);

    expect(plan.due).toEqual(due);
    expect(plan.marks.get('a')?.strategy).toBe(strategy);
  });

  test('takes no other while one is on its way back', () => {
    const reinstall = { image: 'img', version: NEW, startTime: formatTime(0), wasCordoned: false };
    const status = { installed: { ...installed, version: NEW }, reinstall };
    const returning = done('c', { phase: 'NotReady', status });

    expect(planOf([machine('a'), machine('b'), returning], inPlace).due).toEqual([]);
  });
});

describe('what keeps an upgrade from going on', () => {
  const target = targetName({ flavor: 'b3-8', image: 'img', version: NEW, zones: [] });
  const machines = [machine('a', { isDue: true }), machine('b'), done('c'), done('extra', { phase: 'Installing' })];
  const freeze = { kind: 'Freeze', reason: 'WaitingForControlPlane', message: 'away' } as const;
  const paused = { pool: poolWith({ upgradeStrategy: { paused: true } }) };
  const aborted = { pool: poolWith({}, {}, { 'fairway.dev/abort-upgrade': target }) };

  test.each([
    { reason: 'an API server that is away changes nothing', facts: { hold: freeze }, due: ['a'], state: 'Running' },
    { reason: 'a pause lets the one whose replacement is made go on', facts: paused, due: ['a'], state: 'Paused' },
    { reason: 'an abort stops it at once', facts: aborted, due: [], state: 'Aborted' },
    {
      reason: 'the abort of another upgrade is none of this one',
      facts: { pool: poolWith({}, {}, { 'fairway.dev/abort-upgrade': 'other' }) },
      due: ['a'],
      state: 'Running',
    },
  ])('$reason', ({ facts, due, state }) => {
    const plan = planOf(machines, facts);

    expect({ due: plan.due, state: plan.upgrade?.state }).toEqual({ due, state });
  });

  test('a pause takes nobody who has no replacement yet', () => {
    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c')], paused).due).toEqual([]);
  });

  test('a new node that has not joined in time halts it', () => {
    const broken = done('extra', { phase: 'Installing', status: late });
    const { due, upgrade } = planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken]);

    expect(due).toEqual(['a']);
    expect(upgrade).toMatchObject({ state: 'Halted', reason: 'UpgradeHalted' });
    expect(upgrade?.message).toContain('extra is already updated and does not work');
  });

  test.each([
    { reason: 'not before its time is up', minutes: 9, state: 'Running' },
    { reason: 'then it halts it', minutes: 10, state: 'Halted' },
  ])('a new node that has stopped working: $reason', ({ minutes, state }) => {
    const notReadyTime = formatTime(NOW_MS - minutes * MINUTE_MS);
    const broken = done('c', { phase: 'NotReady', status: { readyTime: formatTime(0), notReadyTime } });

    expect(planOf([machine('a', { isDue: true }), machine('b'), broken]).upgrade?.state).toBe(state);
  });

  test('it goes on when it is told to try again', () => {
    const broken = done('extra', { phase: 'Installing', status: late });
    const last = planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken]).upgrade;
    const told = { 'fairway.dev/retry-requested': 'now' };
    const pool = poolWith({}, last ? { upgrade: last } : {}, told);

    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c'), broken], { pool }).upgrade?.state).toBe(
      'Running',
    );
  });

  test('a quota is told, and nothing halts', () => {
    const ready = { type: 'Ready', status: 'False' as const, reason: 'QuotaExceeded', message: 'no cores left' };
    const status = { conditions: [{ ...ready, lastTransitionTime: formatTime(0) }] };
    const extra = done('extra', { phase: 'Pending', status });

    expect(planOf([machine('a', { isDue: true }), machine('b'), done('c'), extra]).upgrade).toMatchObject({
      state: 'Running',
      reason: 'QuotaExceeded',
      message: 'extra: no cores left',
    });
  });

  test('a plan without room for one more is told', () => {
    const plan = planOf([machine('a', { isDue: true }), machine('b'), done('c')], { room: 0 });

    expect(plan.upgrade).toMatchObject({ state: 'Running', reason: 'PlanLimitExceeded' });
  });
});

describe('the end', () => {
  test.each([
    {
      reason: 'not while an old one leaves',
      machines: [done('a'), done('b'), machine('c', { isLeaving: true })],
      state: 'Running',
    },
    {
      reason: 'not before the last new one works',
      machines: [done('a'), done('b', { phase: 'Installing' })],
      state: 'Running',
    },
    { reason: 'when all are new and work', machines: [done('a'), done('b')], state: 'Complete' },
  ])('is $reason', ({ machines, state }) => {
    const last = planOf([machine('a', { isDue: true }), machine('b'), done('c')]).upgrade;

    expect(planOf(machines, { pool: poolWith({}, last ? { upgrade: last } : {}) }).upgrade?.state).toBe(state);
  });

  test.each(['Waiting', 'Paused', 'Halted', 'Aborted', 'Running'] as const)(
    'is over when it is taken back while it is %s',
    (state) => {
      const upgrade = { target: 'another', strategy: 'Rolling', state, total: 2, done: 0, summary: '0/2' } as const;
      const wait = { reason: 'MaintenanceWindow', message: 'waits for its window', since: formatTime(0) };
      const pool = poolWith({}, { upgrade: { ...upgrade, ...wait } });

      const plan = planOf([done('a'), done('b')], { pool });

      expect(plan.upgrade).toMatchObject({ state: 'Complete', total: 0 });
      expect(plan.upgrade).not.toHaveProperty('reason');
    },
  );

  test('stays told as it was when the pool changes to what its nodes are', () => {
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

  test('nothing is told of a pool in which nothing was ever renewed', () => {
    expect(planOf([done('a'), done('b')]).upgrade).toBeUndefined();
  });
});
