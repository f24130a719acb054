import type { Machine } from '@fairway/api/kinds/machine';
import type { MachineMarks } from '@fairway/api/kinds/machine-marks';
import { describe, expect, test } from 'vitest';
import { type DesiredPool, planPool, planShrinking } from './pool-plan.ts';

const desired = { flavor: 'b3-8', image: 'img', version: '1.34.2', rootVolume: undefined, floatingIP: false };
const template = { ...desired, zones: [] as readonly string[] };
const TIME = '2026-01-01T00:00:00Z';

interface MachineOptions {
  zone?: string;
  phase?: 'Pending' | 'Installing' | 'Ready' | 'NotReady';
  version?: string;
  installed?: string;
  flavor?: string;
  createdAt?: number;
  deleting?: boolean;
  marked?: boolean;
  floatingIP?: boolean;
  marks?: MachineMarks;
  serverReason?: string;
  reinstallTime?: string;
  resetTime?: string;
  onDrainTimeout?: 'Hold';
  timedOut?: boolean;
}

function machine(name: string, machineOptions: MachineOptions = {}): Machine {
  const {
    zone,
    phase = 'Ready',
    version = desired.version,
    createdAt = 0,
    deleting = false,
    marked = false,
  } = machineOptions;
  const { floatingIP = false, marks, serverReason, installed, flavor = desired.flavor, reinstallTime } = machineOptions;
  const { resetTime, onDrainTimeout } = machineOptions;
  const wasReady = phase === 'Ready' || phase === 'NotReady';
  const serverReady = { type: 'ServerReady', status: 'False' as const, message: '', lastTransitionTime: TIME };
  return {
    metadata: {
      name,
      creationTimestamp: new Date(createdAt * 1000).toISOString(),
      ...(deleting && { deletionTimestamp: TIME }),
      ...(marked && { annotations: { 'fairway.dev/delete-first': '' } }),
    },
    spec: {
      ...desired,
      flavor,
      version,
      floatingIP,
      clusterName: 'demo',
      nodePoolName: 'general',
      ...(zone !== undefined && { zone }),
      ...(reinstallTime !== undefined && { reinstallTime }),
      ...(resetTime !== undefined && { resetTime }),
      ...(onDrainTimeout !== undefined && { onDrainTimeout }),
    },
    status: {
      phase,
      ...(wasReady && { readyTime: TIME }),
      ...(marks && { marks }),
      ...(installed !== undefined && { installed: { serverID: 's', image: desired.image, version: installed } }),
      ...(serverReason !== undefined && { conditions: [{ ...serverReady, reason: serverReason }] }),
      ...(machineOptions.timedOut && { startup: { serverID: 's', activeTime: TIME, timedOutTime: TIME } }),
    },
  };
}

const dueMark = { due: true, reason: 'NodeNotReady', message: '', time: TIME };
const replace = { repair: { ...dueMark, strategy: 'Replace' as const } };
const reinstall = { repair: { ...dueMark, strategy: 'Reinstall' as const } };
const missing = { repair: { ...replace.repair, reason: 'ServerVanished' } };
const rollingUpdate = { renewal: { ...dueMark, strategy: 'Rolling' as const } };
const inPlace = { renewal: { ...dueMark, strategy: 'InPlace' as const } };
const unneeded = { unneeded: dueMark };
const waiting = { renewal: { ...rollingUpdate.renewal, due: false }, repair: { ...replace.repair, due: false } };

const OLD = '1.33.1';
const old = (name: string, marks?: MachineMarks, machineOptions: MachineOptions = {}) =>
  machine(name, { version: OLD, ...(marks && { marks }), ...machineOptions });

function planOf(replicas: number, machines: readonly Machine[], options: Partial<DesiredPool> = {}) {
  const limits = { maxSurge: 1, maxUnavailable: 0 };
  const room = Number.POSITIVE_INFINITY;
  return planPool(
    { replicas, desired: template, limits, room, isUpdatePossible: true, isAllowed: true, ...options },
    machines,
  );
}

function shown({ create, remove, update }: ReturnType<typeof planPool>) {
  return {
    create: create.length,
    remove: remove.map(({ metadata }) => metadata.name),
    reinstall: update.filter(({ isReinstall }) => isReinstall).map(({ machine: { metadata } }) => metadata.name),
  };
}

describe('a pool that is too small', () => {
  test('creates all missing machines immediately, spread over its zones', () => {
    const { create } = planOf(5, [machine('m1', { zone: 'a' })], { desired: { ...desired, zones: ['a', 'b', 'c'] } });

    expect(create.map(({ zone }) => zone)).toEqual(['b', 'c', 'a', 'b']);
  });

  test('replaces a machine that is being deleted', () => {
    const machines = [machine('m1'), machine('m2', { deleting: true })];

    expect(planOf(2, machines).create).toHaveLength(1);
  });
});

describe('a pool that is too large', () => {
  test.each([
    {
      reason: 'deletes unhealthy machines first',
      machines: [machine('new', { createdAt: 9 }), machine('ill', { phase: 'NotReady' })],
      removed: ['ill'],
    },
    {
      reason: 'deletes a machine due for repair before other unhealthy machines',
      machines: [machine('ill', { phase: 'NotReady' }), machine('patient', { phase: 'NotReady', marks: replace })],
      removed: ['patient'],
    },
    {
      reason: 'deletes a machine that the autoscaler does not need before one that is not a node yet',
      machines: [machine('unneeded', { marks: unneeded }), machine('starting', { phase: 'Installing' })],
      removed: ['unneeded'],
    },
    {
      reason: 'deletes the machine that the autoscaler does not need',
      machines: [machine('new', { createdAt: 9 }), machine('unneeded', { marks: unneeded })],
      removed: ['unneeded'],
    },
    {
      reason: 'deletes outdated machines next',
      machines: [machine('new', { createdAt: 9 }), machine('outdated', { version: OLD })],
      removed: ['outdated'],
    },
    {
      reason: 'deletes the youngest machine next',
      machines: [machine('old', { createdAt: 1 }), machine('new', { createdAt: 9 })],
      removed: ['new'],
    },
    {
      reason: 'deletes a marked machine before all others',
      machines: [machine('marked', { marked: true }), machine('ill', { phase: 'NotReady', marks: replace })],
      removed: ['marked'],
    },
    {
      reason: 'counts a machine that is already being deleted',
      machines: [machine('staying'), machine('going', { deleting: true })],
      removed: [],
    },
    {
      reason: 'deletes new machines of a stopped upgrade before working machines',
      machines: [old('old'), machine('surge', { phase: 'Installing' })],
      removed: ['surge'],
    },
  ])('$reason', ({ machines, removed }) => {
    expect(shown(planOf(1, machines)).remove).toEqual(removed);
  });

  test('is unchanged at the right size', () => {
    expect(planOf(1, [machine('m1', { marks: waiting })])).toEqual({ create: [], remove: [], renewed: [], update: [] });
  });
});

describe('a repair', () => {
  const unhealthyMachine = machine('ill', { phase: 'NotReady', marks: replace });
  const starting = machine('new', { phase: 'Installing' });

  test.each([
    { case: 'starts with a new machine', machines: [unhealthyMachine], create: 1, remove: [] },
    { case: 'waits for the new machine', machines: [unhealthyMachine, starting], create: 0, remove: [] },
    { case: 'ends with the old machine', machines: [unhealthyMachine, machine('new')], create: 0, remove: ['ill'] },
    {
      case: 'deletes the old machine first if the cloud has no room for both',
      machines: [unhealthyMachine, machine('new', { phase: 'Pending', serverReason: 'QuotaExceeded' })],
      create: 0,
      remove: ['ill'],
    },
    {
      case: 'deletes the old machine first if the plan has no room',
      machines: [unhealthyMachine],
      room: 0,
      create: 1,
      remove: ['ill'],
    },
    {
      case: 'does not wait for a new machine that never joins: that one is repaired next',
      machines: [unhealthyMachine, machine('new', { phase: 'Installing', timedOut: true })],
      create: 0,
      remove: ['ill'],
    },
    {
      case: 'deletes a machine with a missing server immediately',
      machines: [machine('gone', { phase: 'NotReady', marks: missing })],
      create: 1,
      remove: ['gone'],
    },
  ])('by a new server: $case', ({ machines, room = 9, create, remove }) => {
    expect(shown(planOf(1, machines, { room }))).toEqual({ create, remove, reinstall: [] });
  });

  test('waits while the plan allows no new machine', () => {
    const options = { isAllowed: false };

    expect(shown(planOf(1, [unhealthyMachine], options))).toEqual({ create: 0, remove: [], reinstall: [] });
  });

  test('requests a reinstallation once, with the current template', () => {
    const notReadyMachine = old('ill', reinstall, { phase: 'NotReady' });
    const spec = { image: 'img', version: '1.34.2', floatingIP: false, reinstallTime: TIME };
    const reinstalling = machine('ill', { phase: 'NotReady', marks: reinstall, reinstallTime: TIME });

    expect(planOf(1, [notReadyMachine]).update).toEqual([{ machine: notReadyMachine, spec, isReinstall: true }]);
    expect(planOf(1, [reinstalling]).update).toEqual([]);
  });

  test('replaces the server if the flavor has changed', () => {
    const notReadyMachine = machine('ill', { phase: 'NotReady', marks: reinstall, flavor: 'b2-7' });

    expect(shown(planOf(1, [notReadyMachine]))).toEqual({ create: 1, remove: [], reinstall: [] });
  });
});

describe('a rolling update', () => {
  const limits = (maxSurge: number, maxUnavailable: number) => ({ maxSurge, maxUnavailable });
  const surge = machine('new', { phase: 'Installing' });

  test('marks the machines that it deletes, because their drains, unlike others, may wait for the user', () => {
    const machines = [old('a', rollingUpdate), old('b', { ...rollingUpdate, ...replace }), machine('n'), machine('o')];
    const named = ({ remove, renewed }: ReturnType<typeof planOf>) =>
      [remove, renewed].map((each) => each.map(({ metadata }) => metadata.name));

    expect(named(planOf(2, machines))).toEqual([['b', 'a'], ['a']]);
    expect(named(planOf(1, [old('a', rollingUpdate), machine('n', { phase: 'NotReady' })]))[1]).toEqual([]);
  });

  test.each([
    { case: 'starts with one more machine', machines: [old('a', rollingUpdate), old('b')], create: 1, remove: [] },
    {
      case: 'waits until the new machine is ready',
      machines: [old('a', rollingUpdate), old('b'), surge],
      create: 0,
      remove: [],
    },
    {
      case: 'ends with the old machine',
      machines: [old('a', rollingUpdate), old('b'), machine('n')],
      create: 0,
      remove: ['a'],
    },
    {
      case: 'creates as many machines as allowed',
      machines: [old('a', rollingUpdate), old('b', rollingUpdate)],
      limits: limits(5, 0),
      create: 2,
      remove: [],
    },
    {
      case: 'starts with the old machine if no surge is allowed',
      machines: [old('a', rollingUpdate), old('b', rollingUpdate)],
      limits: limits(0, 1),
      create: 1,
      remove: ['a'],
    },
    {
      case: 'waits for a node that is unavailable for another reason',
      machines: [old('a', rollingUpdate), old('b', undefined, { phase: 'NotReady' })],
      limits: limits(0, 1),
      create: 0,
      remove: [],
    },
    {
      case: 'updates broken machines first',
      machines: [old('a', rollingUpdate), old('b', rollingUpdate, { phase: 'NotReady' })],
      limits: limits(0, 1),
      create: 1,
      remove: ['b'],
    },
    {
      case: 'creates no machine beyond the plan’s limit',
      machines: [old('a', rollingUpdate), old('b')],
      room: 0,
      create: 0,
      remove: [],
    },
    {
      case: 'ends if the pool shrinks by the outdated machines',
      machines: [old('a', rollingUpdate), old('b'), old('c'), surge],
      create: 0,
      remove: ['a'],
    },
    {
      case: 'keeps machines marked by a user until the new ones are ready',
      machines: [old('a', rollingUpdate), old('b', undefined, { marked: true }), surge],
      create: 0,
      remove: [],
    },
    {
      case: 'deletes a machine marked by a user before the machines that the update itself replaces',
      machines: [old('a', rollingUpdate), old('b', undefined, { marked: true }), machine('n')],
      create: 1,
      remove: ['b'],
    },
    {
      case: 'is needed for a changed flavor, regardless of the strategy',
      machines: [machine('a', { flavor: 'b2-7', marks: inPlace }), machine('b')],
      create: 1,
      remove: [],
    },
  ])('$case', ({ machines, room = 9, limits: machineOptions = limits(1, 0), create, remove }) => {
    expect(shown(planOf(2, machines, { room, limits: machineOptions }))).toEqual({ create, remove, reinstall: [] });
  });
});

describe('while the cluster’s API server is unavailable', () => {
  test.each([
    { case: 'no node is deleted, and the new one stays', machines: [old('a', rollingUpdate), old('b'), machine('n')] },
    { case: 'no node is reinstalled', machines: [old('a', inPlace), machine('b')] },
  ])('$case', ({ machines }) => {
    expect(shown(planOf(2, machines, { isUpdatePossible: false }))).toEqual({ create: 0, remove: [], reinstall: [] });
  });
});

test('a new machine is created in the zone of the one that it replaces', () => {
  const zones = ['a', 'b', 'c'];
  const machines = [
    machine('m1', { zone: 'a' }),
    old('m2', undefined, { zone: 'b' }),
    old('m3', rollingUpdate, { zone: 'c' }),
  ];

  expect(planOf(3, machines, { desired: { ...desired, zones } }).create).toEqual([{ zone: 'c' }]);
});

describe('a pool from which a zone was removed', () => {
  const machines = [
    machine('a1', { zone: 'a', marks: rollingUpdate }),
    machine('a2', { zone: 'a' }),
    machine('b1', { zone: 'b' }),
  ];

  test('creates the new machine in the least used of its zones', () => {
    const plan = planOf(3, machines, { desired: { ...desired, zones: ['b', 'c'] } });

    expect({ ...shown(plan), create: plan.create }).toEqual({ create: [{ zone: 'c' }], remove: [], reinstall: [] });
  });

  test('replaces machines that would otherwise be reinstalled', () => {
    const marked = [old('a1', inPlace, { zone: 'a' }), machine('b1', { zone: 'b' })];

    expect(shown(planOf(2, marked, { desired: { ...desired, zones: ['b'] } }))).toMatchObject({
      create: 1,
      reinstall: [],
    });
  });

  test('deletes a machine in that zone first when it shrinks', () => {
    expect(
      shown(
        planOf(2, machines.slice(1).concat(machine('b2', { zone: 'b', createdAt: 9 })), {
          desired: { ...desired, zones: ['b'] },
        }),
      ).remove,
    ).toEqual(['a2']);
  });
});

describe('a pool with an unknown template', () => {
  const limits = { maxSurge: 1, maxUnavailable: 0 };
  const names = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name);

  test.each([
    { reason: 'does not delete desired machines', machines: [machine('a'), machine('b')], removed: [] },
    {
      reason: 'deletes the youngest machine',
      machines: ['a', 'b', 'c'].map((n, i) => machine(n, { createdAt: i })),
      removed: ['c'],
    },
    {
      reason: 'deletes the machine due for repair, which will get no replacement',
      machines: [machine('a', { phase: 'NotReady', marks: replace }), machine('b'), machine('c')],
      removed: ['a'],
    },
    {
      reason: 'keeps a machine that is becoming a replacement during a transient failure',
      machines: [old('a', rollingUpdate), old('b', rollingUpdate), machine('c', { phase: 'Installing', createdAt: 1 })],
      removed: [],
    },
    {
      reason: 'deletes an old machine in addition to keeping a replacement that is still starting',
      machines: [old('a', rollingUpdate), old('b'), old('c'), machine('d', { phase: 'Installing', createdAt: 1 })],
      removed: ['a'],
    },
    {
      reason: 'deletes a machine that has not become a node in time',
      machines: [old('a', rollingUpdate), old('b'), machine('c', { phase: 'Installing', timedOut: true })],
      removed: ['c'],
    },
    {
      reason: 'does not count machines already being deleted',
      machines: [machine('a'), machine('b'), machine('c', { deleting: true })],
      removed: [],
    },
  ])('$reason', ({ machines, removed }) => {
    expect(names(planShrinking({ replicas: 2, limits }, machines))).toEqual(removed);
  });
});

describe('a reset cluster with reinstalled servers', () => {
  const RESET = '2026-01-02T00:00:00Z';
  const currentFacts = {
    desired: { ...template, resetTime: RESET, authorityGeneration: 1 },
    isReinstalledAfterReset: true,
  };
  const updates = (machines: readonly Machine[]) => planOf(machines.length, machines, currentFacts).update;

  test('reinstalls them once in the middle of a rotation', () => {
    const [update] = updates([machine('a', { installed: desired.version })]);

    expect(update?.spec).toMatchObject({ resetTime: RESET, reinstallTime: RESET, authorityGeneration: 1 });
  });

  test.each([
    { reason: 'drops a repair from before the reset', time: TIME, reinstalled: [] },
    { reason: 'performs a repair requested since the reset', time: '2026-01-03T00:00:00Z', reinstalled: ['a'] },
  ])('$reason', ({ time, reinstalled }) => {
    const repair = { ...reinstall.repair, time };
    const a = machine('a', { phase: 'Pending', marks: { repair }, resetTime: RESET, reinstallTime: RESET });
    const recreated = { ...a, spec: { ...a.spec, authorityGeneration: 1 } };

    expect(updates([recreated]).map(({ machine: { metadata } }) => metadata.name)).toEqual(reinstalled);
  });
});

describe('a machine whose drain may be held', () => {
  test.each([
    { reason: 'is no longer held if its update is cancelled', machines: [machine('a', { onDrainTimeout: 'Hold' })] },
    {
      reason: 'is no longer held if it must be repaired now',
      machines: [machine('a', { onDrainTimeout: 'Hold', marks: reinstall })],
    },
  ])('$reason', ({ machines }) => {
    expect(planOf(1, machines).update).toContainEqual(
      expect.objectContaining({ spec: { onDrainTimeout: 'Force' }, isReinstall: false }),
    );
  });

  test('stays held if nothing has changed', () => {
    expect(planOf(1, [old('a', rollingUpdate, { onDrainTimeout: 'Hold' })]).update).toEqual([]);
  });
});

describe('an in-place update', () => {
  test.each([
    { case: 'one node after another', machines: [old('a', inPlace), old('b', inPlace)], reinstall: ['a'] },
    {
      case: 'all nodes that may be unavailable',
      machines: ['a', 'b', 'c'].map((n) => old(n, inPlace)),
      away: 2,
      reinstall: ['a', 'b'],
    },
    {
      case: 'no node while another is unavailable',
      machines: [old('a', inPlace), machine('b', { phase: 'NotReady' })],
      reinstall: [],
    },
    {
      case: 'no node while another is about to be reinstalled',
      machines: [old('a', inPlace), machine('b', { installed: OLD, marks: inPlace })],
      reinstall: [],
    },
    {
      case: 'broken nodes first',
      machines: [old('a', inPlace), old('b', inPlace, { phase: 'NotReady' })],
      reinstall: ['b'],
    },
    { case: 'only nodes that are due', machines: [old('a', waiting), old('b')], reinstall: [] },
  ])('updates $case', ({ machines, away = 0, reinstall: names }) => {
    const limits = { maxSurge: 1, maxUnavailable: away };

    expect(shown(planOf(machines.length, machines, { limits }))).toEqual({ create: 0, remove: [], reinstall: names });
  });
});

test('floating IPs are added to and removed from remaining machines, not those being replaced', () => {
  const machines = [
    machine('as-wanted'),
    machine('with', { floatingIP: true }),
    machine('outdated', { floatingIP: true, version: OLD }),
    machine('going', { floatingIP: true, deleting: true }),
    machine('superfluous', { floatingIP: true, marked: true }),
  ];

  const { update } = planOf(3, machines);

  expect(update.map(({ machine: { metadata }, spec }) => ({ name: metadata.name, spec }))).toEqual([
    { name: 'with', spec: { floatingIP: false } },
  ]);
});
