import { ConditionReason } from '@fairway/api/conditions';
import type { HealingSettings } from '@fairway/api/domain/healing-settings';
import { EXCLUDE_FROM_HEALING_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import type { MachineStatus } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { HealingStrategy } from '@fairway/api/kinds/node-pool-healing';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { planRepairs, type RepairContext, type RepairTarget } from './repair-plan.ts';
import type { UnhealthyReason } from './unhealthy-reason.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number) => formatTime(NOW_MS + minutes * MINUTE_MS);

const settings: HealingSettings = {
  isEnabled: true,
  strategy: 'Replace',
  notReadyMs: 10 * MINUTE_MS,
  reinstallMs: 40 * MINUTE_MS,
  maxUnhealthy: '40%',
};

function mark(due: boolean, more: Partial<RepairMark> = {}): RepairMark {
  return { due, reason: 'NodeNotReady', message: 'down', time: at(-3), strategy: 'Replace', ...more };
}

interface Given {
  /** For how many minutes its time limit has been over. */
  readonly over?: number;
  readonly isGone?: boolean;
  readonly repair?: RepairMark;
  readonly annotations?: Record<string, string>;
  readonly reinstallTime?: string;
  readonly resetTime?: string;
  readonly status?: MachineStatus;
}

function target(
  name: string,
  { over, isGone = false, repair, annotations, reinstallTime, resetTime, status }: Given,
): RepairTarget {
  const dueMs = NOW_MS - (over ?? 0) * MINUTE_MS;
  const reason = isGone ? ConditionReason.ServerVanished : ConditionReason.NodeNotReady;
  const unhealthy: UnhealthyReason = { reason, message: 'down', sinceMs: dueMs - 600_000, dueMs, isGone };
  return {
    machine: {
      metadata: { name, ...(annotations && { annotations }) },
      spec: {
        clusterName: 'demo',
        nodePoolName: 'general',
        flavor: 'f',
        image: 'i',
        version: '1.34.2',
        floatingIP: false,
        ...(reinstallTime !== undefined && { reinstallTime }),
        ...(resetTime !== undefined && { resetTime }),
      },
      status: { phase: over === undefined ? 'Ready' : 'NotReady', ...status, ...(repair && { marks: { repair } }) },
    },
    unhealthy: over === undefined ? undefined : unhealthy,
  };
}

const well = (...names: readonly string[]) => names.map((name) => target(name, {}));

function marksOf(targets: readonly RepairTarget[], more: Partial<RepairContext> = {}) {
  const unhealthy = targets.filter(({ unhealthy }) => unhealthy).length;
  const nothing = { cluster: { size: targets.length, unhealthy }, api: undefined, cloud: undefined, record: {} };
  const decisions = planRepairs(targets, { settings, ...nothing, nowMs: NOW_MS, ...more });
  return Object.fromEntries(
    decisions.flatMap(({ machine, mark: told }) =>
      told ? [[machine.metadata.name, `${told.due ? told.strategy : 'held'} ${told.reason}`]] : [],
    ),
  );
}

const away = { reason: ConditionReason.WaitingForControlPlane, message: 'away' };
const outage = { reason: ConditionReason.CloudUnavailable, message: 'away' };
const asked = { [REPAIR_ANNOTATION]: 'now' };
const excluded = { [EXCLUDE_FROM_HEALING_ANNOTATION]: '' };
const a = target('a', { over: 1 });
const b = target('b', { over: 2 });
const gone = target('gone', { over: 0, isGone: true });
const rest = well('x', 'y', 'z');

describe('who is repaired', () => {
  test.each<{
    case: string;
    targets: readonly RepairTarget[];
    more?: Partial<RepairContext>;
    marks: Record<string, string>;
  }>([
    { case: 'nobody where all are well', targets: rest, marks: {} },
    { case: 'nobody whose time limit is not over', targets: [target('a', { over: -1 }), ...rest], marks: {} },
    { case: 'whoever is due', targets: [a, ...rest], marks: { a: 'Replace NodeNotReady' } },
    {
      case: 'one after another, the longest ill first',
      targets: [a, b, ...rest],
      marks: { a: 'held RepairInProgress', b: 'Replace NodeNotReady' },
    },
    {
      case: 'nobody else while one is under way',
      targets: [a, target('c', { over: 5, repair: mark(true) }), ...rest],
      marks: { a: 'held RepairInProgress', c: 'Replace NodeNotReady' },
    },
    {
      case: 'nobody while too many of the pool are ill',
      targets: [a, b, ...well('x')],
      marks: { a: 'held TooManyUnhealthy', b: 'held TooManyUnhealthy' },
    },
    {
      case: 'nobody while too many of the cluster are ill',
      targets: [a, ...rest],
      more: { cluster: { size: 10, unhealthy: 5 } },
      marks: { a: 'held TooManyUnhealthy' },
    },
    { case: 'the only one of a pool', targets: [a], marks: { a: 'Replace NodeNotReady' } },
    {
      case: 'nobody without the API',
      targets: [a, ...rest],
      more: { api: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'nobody whose node has just come into sight',
      targets: [a, ...rest],
      more: { settling: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'nobody without the cloud',
      targets: [a, ...rest],
      more: { cloud: outage },
      marks: { a: 'held CloudUnavailable' },
    },
    {
      case: 'nobody before the pause is over',
      targets: [a, ...rest],
      more: { record: { failures: 2, notBefore: at(5) } },
      marks: { a: 'held RepairBackingOff' },
    },
    {
      case: 'nobody in a pool that has opted out',
      targets: [a, gone, ...rest],
      more: { settings: { ...settings, isEnabled: false } },
      marks: { a: 'held HealingDisabled', gone: 'held HealingDisabled' },
    },
    {
      case: 'all whose servers are gone, whatever else is the matter, and they take no turn',
      targets: [a, gone, target('lost', { over: 0, isGone: true })],
      more: { api: away, cloud: outage, cluster: { size: 3, unhealthy: 3 }, record: { failures: 1, notBefore: at(5) } },
      marks: { a: 'held WaitingForControlPlane', gone: 'Replace ServerVanished', lost: 'Replace ServerVanished' },
    },
    {
      case: 'whoever a person asks for, whatever waits',
      targets: [target('a', { annotations: asked }), b],
      more: { settling: away, cluster: { size: 2, unhealthy: 2 }, record: { failures: 1, notBefore: at(5) } },
      marks: { a: 'Replace RepairRequested', b: 'held WaitingForControlPlane' },
    },
    {
      case: 'not before the API can be reached, even so',
      targets: [target('a', { annotations: asked })],
      more: { api: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'not a second time for one request',
      targets: [target('a', { annotations: asked })],
      more: { record: { requests: [{ machine: 'a', value: 'now' }] } },
      marks: {},
    },
    {
      case: 'not a second time for one that is longer than what is remembered of it',
      targets: [target('a', { annotations: { [REPAIR_ANNOTATION]: 'x'.repeat(100_000) } })],
      more: { record: { requests: [{ machine: 'a', value: 'x'.repeat(1024) }] } },
      marks: {},
    },
    {
      case: 'nobody who is excluded, asked for or not',
      targets: [target('a', { over: 1, annotations: { ...excluded, ...asked } }), ...rest],
      marks: { a: 'held ExcludedFromHealing' },
    },
  ])('$case', ({ targets, more, marks }) => {
    expect(marksOf(targets, more)).toEqual(marks);
  });
});

describe('a mark', () => {
  const time = at(-45);
  const reinstall = (more: Partial<RepairMark> = {}) => mark(true, { strategy: 'Reinstall', time, ...more });
  const disk = (reinstallTime?: string) => ({
    serverID: 's',
    image: 'i',
    version: '1.34.2',
    ...(reinstallTime !== undefined && { reinstallTime }),
  });

  test.each<{ case: string; given: Given; strategy?: HealingStrategy; isEnabled?: boolean; marks: string | undefined }>(
    [
      { case: 'goes when the node is well again', given: { repair: mark(true) }, marks: undefined },
      { case: 'that is held goes, too', given: { repair: mark(false) }, marks: undefined },
      {
        case: 'that is held stays while nothing can be said of the node',
        given: { over: -5, repair: mark(false, { reason: 'TooManyUnhealthy' }) },
        marks: 'held TooManyUnhealthy',
      },
      { case: 'stays until the node is well', given: { over: 5, repair: mark(true) }, marks: 'Replace NodeNotReady' },
      {
        case: 'for a request stays though the node is well',
        given: { repair: mark(true, { reason: 'RepairRequested' }), annotations: asked },
        marks: 'Replace RepairRequested',
      },
      {
        case: 'for a request that waits goes when the annotation is taken away',
        given: { repair: mark(false, { reason: 'WaitingForControlPlane' }) },
        marks: undefined,
      },
      {
        case: 'goes when the machine is excluded',
        given: { over: 5, repair: mark(true), annotations: excluded },
        marks: undefined,
      },
      {
        case: 'becomes another one when the server is gone',
        given: { over: 5, isGone: true, repair: mark(true) },
        marks: 'Replace ServerVanished',
      },
      {
        case: 'for a server that is gone begins when a person asks for it, though healing is off',
        given: { over: 5, isGone: true, annotations: asked },
        isEnabled: false,
        marks: 'Replace ServerVanished',
      },
      {
        case: 'and stays',
        given: { over: 5, isGone: true, repair: mark(true, { reason: 'ServerVanished' }), annotations: asked },
        isEnabled: false,
        marks: 'Replace ServerVanished',
      },
      {
        case: 'to reinstall stays while the disk is not written, though the old node is well',
        given: {
          repair: reinstall({ time: at(-3) }),
          reinstallTime: at(-3),
          status: { phase: 'Ready', installed: disk() },
        },
        marks: 'Reinstall NodeNotReady',
      },
      {
        case: 'to reinstall goes when the new node is well',
        given: { repair: reinstall(), reinstallTime: time, status: { phase: 'Ready', installed: disk(time) } },
        marks: undefined,
      },
      {
        case: 'to reinstall is one to replace where the server does not join again',
        given: {
          over: 5,
          repair: reinstall(),
          reinstallTime: time,
          status: {
            phase: 'Installing',
            installed: disk(time),
            startup: { serverID: 's', activeTime: at(-20), timedOutTime: at(-5) },
          },
        },
        marks: 'Replace NodeNotReady',
      },
      {
        case: 'to reinstall is one to replace where that does not come to an end',
        given: {
          over: 1,
          repair: reinstall(),
          reinstallTime: time,
          status: { phase: 'Installing', installed: disk() },
        },
        marks: 'Replace NodeNotReady',
      },
      {
        case: 'to reinstall has time, though',
        given: {
          repair: reinstall({ time: at(-30) }),
          reinstallTime: at(-30),
          status: { phase: 'Installing', installed: disk() },
        },
        marks: 'Reinstall NodeNotReady',
      },
      {
        case: 'that waits to replace what a reinstallation did not help stays so',
        given: { over: 5, repair: mark(false, { reason: 'RepairBackingOff', strategy: 'Replace' }) },
        strategy: 'Reinstall',
        marks: 'Replace NodeNotReady',
      },
    ],
  )('$case', ({ given, strategy = 'Reinstall', isEnabled = true, marks }) => {
    const more = { settings: { ...settings, strategy, isEnabled } };
    expect(marksOf([target('a', given), ...rest], more)['a']).toBe(marks);
  });

  test('has the time at which it became due, not that since which it waits', () => {
    const [decision] = planRepairs(
      [target('a', { over: 5, repair: mark(false, { reason: 'TooManyUnhealthy' }) }), ...rest],
      {
        settings,
        cluster: { size: 4, unhealthy: 1 },
        api: undefined,
        cloud: undefined,
        record: {},
        nowMs: NOW_MS,
      },
    );

    expect(decision?.mark).toMatchObject({ due: true, time: at(0) });
  });

  test('that changes in nothing is the same object', () => {
    const targets = [target('a', { over: 5, repair: mark(true) }), ...rest];
    const context = {
      settings,
      cluster: { size: 4, unhealthy: 1 },
      api: undefined,
      cloud: undefined,
      record: {},
    };
    const [decision] = planRepairs(targets, { ...context, nowMs: NOW_MS });

    expect(decision?.mark).toBe(targets[0]?.machine.status?.marks?.repair);
  });
});

describe('a repair that was under way when the cluster was reset', () => {
  const repair = mark(true, { time: at(-3), strategy: 'Reinstall' });
  const resetTime = at(-2);
  const status: MachineStatus = { phase: 'Installing' };

  test('is forgotten while the server is installed anew', () => {
    expect(marksOf([target('a', { repair, resetTime, reinstallTime: resetTime, status }), ...well('b')])).toEqual({});
  });

  test('begins again if the node does not come back', () => {
    const a = target('a', { over: 1, repair, resetTime, reinstallTime: resetTime });

    expect(marksOf([a, ...well('b', 'c', 'd')])).toEqual({ a: 'Replace NodeNotReady' });
  });
});
