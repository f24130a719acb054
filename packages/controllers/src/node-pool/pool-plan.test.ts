import type { Machine } from '@fairway/api/kinds/machine';
import type { MachineMarks } from '@fairway/api/kinds/machine-marks';
import { describe, expect, test } from 'vitest';
import { type DesiredPool, planPool, planShrinking } from './pool-plan.ts';

const desired = { flavor: 'b3-8', image: 'img', version: '1.34.2', rootVolume: undefined, floatingIP: false };
const template = { ...desired, zones: [] as readonly string[] };
const TIME = '2026-01-01T00:00:00Z';

interface Given {
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

function machine(name: string, given: Given = {}): Machine {
  const { zone, phase = 'Ready', version = desired.version, createdAt = 0, deleting = false, marked = false } = given;
  const { floatingIP = false, marks, serverReason, installed, flavor = desired.flavor, reinstallTime } = given;
  const { resetTime, onDrainTimeout } = given;
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
      ...(given.timedOut && { startup: { serverID: 's', activeTime: TIME, timedOutTime: TIME } }),
    },
  };
}

const because = { due: true, reason: 'NodeNotReady', message: '', time: TIME };
const replace = { repair: { ...because, strategy: 'Replace' as const } };
const reinstall = { repair: { ...because, strategy: 'Reinstall' as const } };
const gone = { repair: { ...replace.repair, reason: 'ServerVanished' } };
const rolling = { renewal: { ...because, strategy: 'Rolling' as const } };
const inPlace = { renewal: { ...because, strategy: 'InPlace' as const } };
const unneeded = { unneeded: because };
const waiting = { renewal: { ...rolling.renewal, due: false }, repair: { ...replace.repair, due: false } };

const OLD = '1.33.1';
const old = (name: string, marks?: MachineMarks, given: Given = {}) =>
  machine(name, { version: OLD, ...(marks && { marks }), ...given });

function planOf(replicas: number, machines: readonly Machine[], options: Partial<DesiredPool> = {}) {
  const limits = { maxSurge: 1, maxUnavailable: 0 };
  const room = Number.POSITIVE_INFINITY;
  return planPool({ replicas, desired: template, limits, room, mayRenew: true, isAllowed: true, ...options }, machines);
}

function shown({ create, remove, update }: ReturnType<typeof planPool>) {
  return {
    create: create.length,
    remove: remove.map(({ metadata }) => metadata.name),
    reinstall: update.filter(({ isReinstall }) => isReinstall).map(({ machine: { metadata } }) => metadata.name),
  };
}

describe('a pool that is too small', () => {
  test('gets all missing machines at once, spread over its zones', () => {
    const { create } = planOf(5, [machine('m1', { zone: 'a' })], { desired: { ...desired, zones: ['a', 'b', 'c'] } });

    expect(create.map(({ zone }) => zone)).toEqual(['b', 'c', 'a', 'b']);
  });

  test('gets another machine for one that is being deleted', () => {
    const machines = [machine('m1'), machine('m2', { deleting: true })];

    expect(planOf(2, machines).create).toHaveLength(1);
  });
});

describe('a pool that is too large', () => {
  test.each([
    {
      reason: 'unhealthy machines go first',
      machines: [machine('new', { createdAt: 9 }), machine('ill', { phase: 'NotReady' })],
      removed: ['ill'],
    },
    {
      reason: 'one to be repaired before others that are unhealthy',
      machines: [machine('ill', { phase: 'NotReady' }), machine('patient', { phase: 'NotReady', marks: replace })],
      removed: ['patient'],
    },
    {
      reason: 'one that the autoscaler can do without before one that is not a node yet',
      machines: [machine('unneeded', { marks: unneeded }), machine('starting', { phase: 'Installing' })],
      removed: ['unneeded'],
    },
    {
      reason: 'the one that the autoscaler can do without',
      machines: [machine('new', { createdAt: 9 }), machine('unneeded', { marks: unneeded })],
      removed: ['unneeded'],
    },
    {
      reason: 'then outdated ones',
      machines: [machine('new', { createdAt: 9 }), machine('outdated', { version: OLD })],
      removed: ['outdated'],
    },
    {
      reason: 'then the most recent',
      machines: [machine('old', { createdAt: 1 }), machine('new', { createdAt: 9 })],
      removed: ['new'],
    },
    {
      reason: 'a marked one before all of them',
      machines: [machine('marked', { marked: true }), machine('ill', { phase: 'NotReady', marks: replace })],
      removed: ['marked'],
    },
    {
      reason: 'a machine that is being deleted already was the one to go',
      machines: [machine('staying'), machine('going', { deleting: true })],
      removed: [],
    },
    {
      reason: 'what an upgrade that was stopped has begun goes before what works',
      machines: [old('old'), machine('surge', { phase: 'Installing' })],
      removed: ['surge'],
    },
  ])('$reason', ({ machines, removed }) => {
    expect(shown(planOf(1, machines)).remove).toEqual(removed);
  });

  test('of the right size is left alone', () => {
    expect(planOf(1, [machine('m1', { marks: waiting })])).toEqual({ create: [], remove: [], renewed: [], update: [] });
  });
});

describe('a repair', () => {
  const ill = machine('ill', { phase: 'NotReady', marks: replace });
  const starting = machine('new', { phase: 'Installing' });

  test.each([
    { case: 'begins with a new machine', machines: [ill], create: 1, remove: [] },
    { case: 'waits for the new machine', machines: [ill, starting], create: 0, remove: [] },
    { case: 'ends with the old one', machines: [ill, machine('new')], create: 0, remove: ['ill'] },
    {
      case: 'takes the old one first if the cloud has no room beside it',
      machines: [ill, machine('new', { phase: 'Pending', serverReason: 'QuotaExceeded' })],
      create: 0,
      remove: ['ill'],
    },
    { case: 'takes the old one first if the plan has no room', machines: [ill], room: 0, create: 1, remove: ['ill'] },
    {
      case: 'does not wait for a new machine that never joins: that is the next patient',
      machines: [ill, machine('new', { phase: 'Installing', timedOut: true })],
      create: 0,
      remove: ['ill'],
    },
    {
      case: 'keeps nothing of a server that is gone',
      machines: [machine('gone', { phase: 'NotReady', marks: gone })],
      create: 1,
      remove: ['gone'],
    },
  ])('with a new server $case', ({ machines, room = 9, create, remove }) => {
    expect(shown(planOf(1, machines, { room }))).toEqual({ create, remove, reinstall: [] });
  });

  test('waits while the plan allows no new machine', () => {
    const options = { isAllowed: false };

    expect(shown(planOf(1, [ill], options))).toEqual({ create: 0, remove: [], reinstall: [] });
  });

  test('of the same server asks for it once, with the current template', () => {
    const patient = old('ill', reinstall, { phase: 'NotReady' });
    const spec = { image: 'img', version: '1.34.2', floatingIP: false, reinstallTime: TIME };
    const asked = machine('ill', { phase: 'NotReady', marks: reinstall, reinstallTime: TIME });

    expect(planOf(1, [patient]).update).toEqual([{ machine: patient, spec, isReinstall: true }]);
    expect(planOf(1, [asked]).update).toEqual([]);
  });

  test('of the same server is a new one where the flavor is another now', () => {
    const patient = machine('ill', { phase: 'NotReady', marks: reinstall, flavor: 'b2-7' });

    expect(shown(planOf(1, [patient]))).toEqual({ create: 1, remove: [], reinstall: [] });
  });
});

describe('a renewal with new machines', () => {
  const limits = (maxSurge: number, maxUnavailable: number) => ({ maxSurge, maxUnavailable });
  const surge = machine('new', { phase: 'Installing' });

  test('tells who goes for it, and not for size or repair, since the drain of that one may wait for the user', () => {
    const machines = [old('a', rolling), old('b', { ...rolling, ...replace }), machine('n'), machine('o')];
    const named = ({ remove, renewed }: ReturnType<typeof planOf>) =>
      [remove, renewed].map((each) => each.map(({ metadata }) => metadata.name));

    expect(named(planOf(2, machines))).toEqual([['b', 'a'], ['a']]);
    expect(named(planOf(1, [old('a', rolling), machine('n', { phase: 'NotReady' })]))[1]).toEqual([]);
  });

  test.each([
    { case: 'begins with one more', machines: [old('a', rolling), old('b')], create: 1, remove: [] },
    { case: 'waits until that is ready', machines: [old('a', rolling), old('b'), surge], create: 0, remove: [] },
    { case: 'ends with the old one', machines: [old('a', rolling), old('b'), machine('n')], create: 0, remove: ['a'] },
    {
      case: 'makes as many as allowed',
      machines: [old('a', rolling), old('b', rolling)],
      limits: limits(5, 0),
      create: 2,
      remove: [],
    },
    {
      case: 'begins with the old one where none may be extra',
      machines: [old('a', rolling), old('b', rolling)],
      limits: limits(0, 1),
      create: 1,
      remove: ['a'],
    },
    {
      case: 'waits for a node that is away for another reason',
      machines: [old('a', rolling), old('b', undefined, { phase: 'NotReady' })],
      limits: limits(0, 1),
      create: 0,
      remove: [],
    },
    {
      case: 'takes what does not work first',
      machines: [old('a', rolling), old('b', rolling, { phase: 'NotReady' })],
      limits: limits(0, 1),
      create: 1,
      remove: ['b'],
    },
    { case: 'makes none beyond the plan', machines: [old('a', rolling), old('b')], room: 0, create: 0, remove: [] },
    {
      case: 'is over when the pool shrinks by what is to be renewed',
      machines: [old('a', rolling), old('b'), old('c'), surge],
      create: 0,
      remove: ['a'],
    },
    {
      case: 'keeps what a person has marked until the new one is ready',
      machines: [old('a', rolling), old('b', undefined, { marked: true }), surge],
      create: 0,
      remove: [],
    },
    {
      case: 'takes what a person has marked before its own',
      machines: [old('a', rolling), old('b', undefined, { marked: true }), machine('n')],
      create: 1,
      remove: ['b'],
    },
    {
      case: 'is what a change of the flavor needs, whatever the strategy',
      machines: [machine('a', { flavor: 'b2-7', marks: inPlace }), machine('b')],
      create: 1,
      remove: [],
    },
  ])('$case', ({ machines, room = 9, limits: given = limits(1, 0), create, remove }) => {
    expect(shown(planOf(2, machines, { room, limits: given }))).toEqual({ create, remove, reinstall: [] });
  });
});

describe('while the API server of the cluster is away', () => {
  test.each([
    { case: 'no node goes, and the new one stays', machines: [old('a', rolling), old('b'), machine('n')] },
    { case: 'none is installed again', machines: [old('a', inPlace), machine('b')] },
  ])('$case', ({ machines }) => {
    expect(shown(planOf(2, machines, { mayRenew: false }))).toEqual({ create: 0, remove: [], reinstall: [] });
  });
});

test('a new machine is made in the zone of the one that it is for', () => {
  const zones = ['a', 'b', 'c'];
  const machines = [
    machine('m1', { zone: 'a' }),
    old('m2', undefined, { zone: 'b' }),
    old('m3', rolling, { zone: 'c' }),
  ];

  expect(planOf(3, machines, { desired: { ...desired, zones } }).create).toEqual([{ zone: 'c' }]);
});

describe('a pool that leaves a zone', () => {
  const machines = [
    machine('a1', { zone: 'a', marks: rolling }),
    machine('a2', { zone: 'a' }),
    machine('b1', { zone: 'b' }),
  ];

  test('makes the new machine where it has the fewest of those zones that it names', () => {
    const plan = planOf(3, machines, { desired: { ...desired, zones: ['b', 'c'] } });

    expect({ ...shown(plan), create: plan.create }).toEqual({ create: [{ zone: 'c' }], remove: [], reinstall: [] });
  });

  test('replaces in place what else would be reinstalled', () => {
    const marked = [old('a1', inPlace, { zone: 'a' }), machine('b1', { zone: 'b' })];

    expect(shown(planOf(2, marked, { desired: { ...desired, zones: ['b'] } }))).toMatchObject({
      create: 1,
      reinstall: [],
    });
  });

  test('takes one there first when it shrinks', () => {
    expect(
      shown(
        planOf(2, machines.slice(1).concat(machine('b2', { zone: 'b', createdAt: 9 })), {
          desired: { ...desired, zones: ['b'] },
        }),
      ).remove,
    ).toEqual(['a2']);
  });
});

describe('a pool of which nobody knows what new machines would be', () => {
  const limits = { maxSurge: 1, maxUnavailable: 0 };
  const names = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name);

  test.each([
    { reason: 'gives none away that it is to have', machines: [machine('a'), machine('b')], removed: [] },
    {
      reason: 'gives the newest',
      machines: ['a', 'b', 'c'].map((n, i) => machine(n, { createdAt: i })),
      removed: ['c'],
    },
    {
      reason: 'gives the one to be repaired, for which there will be no other',
      machines: [machine('a', { phase: 'NotReady', marks: replace }), machine('b'), machine('c')],
      removed: ['a'],
    },
    {
      reason: 'leaves alone what is becoming a node in place of another one, when the cloud fails for a moment',
      machines: [old('a', rolling), old('b', rolling), machine('c', { phase: 'Installing', createdAt: 1 })],
      removed: [],
    },
    {
      reason: 'gives one more, beside what is becoming a node in place of another one',
      machines: [old('a', rolling), old('b'), old('c'), machine('d', { phase: 'Installing', createdAt: 1 })],
      removed: ['a'],
    },
    {
      reason: 'gives what has not become a node in time',
      machines: [old('a', rolling), old('b'), machine('c', { phase: 'Installing', timedOut: true })],
      removed: ['c'],
    },
    {
      reason: 'does not count what goes already',
      machines: [machine('a'), machine('b'), machine('c', { deleting: true })],
      removed: [],
    },
  ])('$reason', ({ machines, removed }) => {
    expect(names(planShrinking({ replicas: 2, limits }, machines))).toEqual(removed);
  });
});

describe('a cluster that was reset, and whose servers are installed anew', () => {
  const RESET = '2026-01-02T00:00:00Z';
  const ofNow = { desired: { ...template, resetTime: RESET, authorityGeneration: 1 }, isReinstalledAfterReset: true };
  const updates = (machines: readonly Machine[]) => planOf(machines.length, machines, ofNow).update;

  test('in the middle of a rotation, has them installed once', () => {
    const [update] = updates([machine('a', { installed: desired.version })]);

    expect(update?.spec).toMatchObject({ resetTime: RESET, reinstallTime: RESET, authorityGeneration: 1 });
  });

  test.each([
    { reason: 'a repair of before is forgotten', time: TIME, reinstalled: [] },
    { reason: 'a repair of now is made', time: '2026-01-03T00:00:00Z', reinstalled: ['a'] },
  ])('$reason', ({ time, reinstalled }) => {
    const repair = { ...reinstall.repair, time };
    const a = machine('a', { phase: 'Pending', marks: { repair }, resetTime: RESET, reinstallTime: RESET });
    const recreated = { ...a, spec: { ...a.spec, authorityGeneration: 1 } };

    expect(updates([recreated]).map(({ machine: { metadata } }) => metadata.name)).toEqual(reinstalled);
  });
});

describe('a machine that was to be held for a renewal', () => {
  test.each([
    { reason: 'and is not renewed after all, is held no more', machines: [machine('a', { onDrainTimeout: 'Hold' })] },
    {
      reason: 'and is to be repaired now, is held no more',
      machines: [machine('a', { onDrainTimeout: 'Hold', marks: reinstall })],
    },
  ])('$reason', ({ machines }) => {
    expect(planOf(1, machines).update).toContainEqual(
      expect.objectContaining({ spec: { onDrainTimeout: 'Force' }, isReinstall: false }),
    );
  });

  test('and still is, stays so', () => {
    expect(planOf(1, [old('a', rolling, { onDrainTimeout: 'Hold' })]).update).toEqual([]);
  });
});

describe('a renewal in place', () => {
  test.each([
    { case: 'one after another', machines: [old('a', inPlace), old('b', inPlace)], reinstall: ['a'] },
    {
      case: 'as many as may be away',
      machines: ['a', 'b', 'c'].map((n) => old(n, inPlace)),
      away: 2,
      reinstall: ['a', 'b'],
    },
    {
      case: 'never while another is away',
      machines: [old('a', inPlace), machine('b', { phase: 'NotReady' })],
      reinstall: [],
    },
    {
      case: 'never while another is about to be reinstalled',
      machines: [old('a', inPlace), machine('b', { installed: OLD, marks: inPlace })],
      reinstall: [],
    },
    {
      case: 'what does not work first',
      machines: [old('a', inPlace), old('b', inPlace, { phase: 'NotReady' })],
      reinstall: ['b'],
    },
    { case: 'only where it is due', machines: [old('a', waiting), old('b')], reinstall: [] },
  ])('takes $case', ({ machines, away = 0, reinstall: names }) => {
    const limits = { maxSurge: 1, maxUnavailable: away };

    expect(shown(planOf(machines.length, machines, { limits }))).toEqual({ create: 0, remove: [], reinstall: names });
  });
});

test('a floating IP is given to and taken from machines that stay, not those to be replaced', () => {
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
