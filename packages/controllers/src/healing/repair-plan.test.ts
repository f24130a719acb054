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

interface TargetOptions {
  /** For how many minutes the time limit has been exceeded. */
  readonly over?: number;
  readonly isServerMissing?: boolean;
  readonly repair?: RepairMark;
  readonly annotations?: Record<string, string>;
  readonly reinstallTime?: string;
  readonly resetTime?: string;
  readonly status?: MachineStatus;
}

function target(
  name: string,
  { over, isServerMissing = false, repair, annotations, reinstallTime, resetTime, status }: TargetOptions,
): RepairTarget {
  const dueMs = NOW_MS - (over ?? 0) * MINUTE_MS;
  const reason = isServerMissing ? ConditionReason.ServerVanished : ConditionReason.NodeNotReady;
  const unhealthy: UnhealthyReason = { reason, message: 'down', sinceMs: dueMs - 600_000, dueMs, isServerMissing };
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

const healthyTargets = (...names: readonly string[]) => names.map((name) => target(name, {}));

function marksOf(targets: readonly RepairTarget[], more: Partial<RepairContext> = {}) {
  const unhealthy = targets.filter(({ unhealthy }) => unhealthy).length;
  const nothing = { cluster: { size: targets.length, unhealthy }, api: undefined, cloud: undefined, record: {} };
  const decisions = planRepairs(targets, { settings, ...nothing, nowMs: NOW_MS, ...more });
  return Object.fromEntries(
    decisions.flatMap(({ machine, mark: newMark }) =>
      newMark ? [[machine.metadata.name, `${newMark.due ? newMark.strategy : 'held'} ${newMark.reason}`]] : [],
    ),
  );
}

const away = { reason: ConditionReason.WaitingForControlPlane, message: 'away' };
const outage = { reason: ConditionReason.CloudUnavailable, message: 'away' };
const requestAnnotations = { [REPAIR_ANNOTATION]: 'now' };
const excludedAnnotations = { [EXCLUDE_FROM_HEALING_ANNOTATION]: '' };
const a = target('a', { over: 1 });
const b = target('b', { over: 2 });
const missingServer = target('gone', { over: 0, isServerMissing: true });
const rest = healthyTargets('x', 'y', 'z');

describe('planRepairs', () => {
  test.each<{
    case: string;
    targets: readonly RepairTarget[];
    more?: Partial<RepairContext>;
    marks: Record<string, string>;
  }>([
    { case: 'repairs nothing if all machines are healthy', targets: rest, marks: {} },
    {
      case: 'does not repair a machine within its time limit',
      targets: [target('a', { over: -1 }), ...rest],
      marks: {},
    },
    { case: 'repairs a machine that is due', targets: [a, ...rest], marks: { a: 'Replace NodeNotReady' } },
    {
      case: 'repairs one machine at a time, the longest unhealthy first',
      targets: [a, b, ...rest],
      marks: { a: 'held RepairInProgress', b: 'Replace NodeNotReady' },
    },
    {
      case: 'does not repair another machine while a repair is in progress',
      targets: [a, target('c', { over: 5, repair: mark(true) }), ...rest],
      marks: { a: 'held RepairInProgress', c: 'Replace NodeNotReady' },
    },
    {
      case: 'repairs nothing while too many machines of the pool are unhealthy',
      targets: [a, b, ...healthyTargets('x')],
      marks: { a: 'held TooManyUnhealthy', b: 'held TooManyUnhealthy' },
    },
    {
      case: 'repairs nothing while too many machines of the cluster are unhealthy',
      targets: [a, ...rest],
      more: { cluster: { size: 10, unhealthy: 5 } },
      marks: { a: 'held TooManyUnhealthy' },
    },
    { case: 'repairs the only machine of a pool', targets: [a], marks: { a: 'Replace NodeNotReady' } },
    {
      case: 'repairs nothing without the cluster’s API',
      targets: [a, ...rest],
      more: { api: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'repairs nothing right after the nodes became observable',
      targets: [a, ...rest],
      more: { settling: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'repairs nothing without the cloud',
      targets: [a, ...rest],
      more: { cloud: outage },
      marks: { a: 'held CloudUnavailable' },
    },
    {
      case: 'repairs nothing during the pause',
      targets: [a, ...rest],
      more: { record: { failures: 2, notBefore: at(5) } },
      marks: { a: 'held RepairBackingOff' },
    },
    {
      case: 'repairs nothing in a pool that has opted out',
      targets: [a, missingServer, ...rest],
      more: { settings: { ...settings, isEnabled: false } },
      marks: { a: 'held HealingDisabled', gone: 'held HealingDisabled' },
    },
    {
      case: 'repairs all machines with missing servers, regardless of everything else',
      targets: [a, missingServer, target('lost', { over: 0, isServerMissing: true })],
      more: { api: away, cloud: outage, cluster: { size: 3, unhealthy: 3 }, record: { failures: 1, notBefore: at(5) } },
      marks: { a: 'held WaitingForControlPlane', gone: 'Replace ServerVanished', lost: 'Replace ServerVanished' },
    },
    {
      case: 'repairs a requested machine, regardless of other limits',
      targets: [target('a', { annotations: requestAnnotations }), b],
      more: { settling: away, cluster: { size: 2, unhealthy: 2 }, record: { failures: 1, notBefore: at(5) } },
      marks: { a: 'Replace RepairRequested', b: 'held WaitingForControlPlane' },
    },
    {
      case: 'delays even a request until the API is reachable',
      targets: [target('a', { annotations: requestAnnotations })],
      more: { api: away },
      marks: { a: 'held WaitingForControlPlane' },
    },
    {
      case: 'acts on a request only once',
      targets: [target('a', { annotations: requestAnnotations })],
      more: { record: { requests: [{ machine: 'a', value: 'now' }] } },
      marks: {},
    },
    {
      case: 'acts only once on a request that is longer than its stored value',
      targets: [target('a', { annotations: { [REPAIR_ANNOTATION]: 'x'.repeat(100_000) } })],
      more: { record: { requests: [{ machine: 'a', value: 'x'.repeat(1024) }] } },
      marks: {},
    },
    {
      case: 'never repairs an excluded machine, even on request',
      targets: [target('a', { over: 1, annotations: { ...excludedAnnotations, ...requestAnnotations } }), ...rest],
      marks: { a: 'held ExcludedFromHealing' },
    },
  ])('$case', ({ targets, more, marks }) => {
    expect(marksOf(targets, more)).toEqual(marks);
  });
});

describe('the mark of a machine', () => {
  const time = at(-45);
  const reinstall = (more: Partial<RepairMark> = {}) => mark(true, { strategy: 'Reinstall', time, ...more });
  const disk = (reinstallTime?: string) => ({
    serverID: 's',
    image: 'i',
    version: '1.34.2',
    ...(reinstallTime !== undefined && { reinstallTime }),
  });

  test.each<{
    case: string;
    given: TargetOptions;
    strategy?: HealingStrategy;
    isEnabled?: boolean;
    marks: string | undefined;
  }>([
    { case: 'is removed when the node is healthy again', given: { repair: mark(true) }, marks: undefined },
    { case: 'is also removed if it was held', given: { repair: mark(false) }, marks: undefined },
    {
      case: 'stays held while the node’s state is unknown',
      given: { over: -5, repair: mark(false, { reason: 'TooManyUnhealthy' }) },
      marks: 'held TooManyUnhealthy',
    },
    {
      case: 'stays until the node is healthy',
      given: { over: 5, repair: mark(true) },
      marks: 'Replace NodeNotReady',
    },
    {
      case: 'stays for a request even if the node is healthy',
      given: { repair: mark(true, { reason: 'RepairRequested' }), annotations: requestAnnotations },
      marks: 'Replace RepairRequested',
    },
    {
      case: 'is removed if the annotation of a waiting request is removed',
      given: { repair: mark(false, { reason: 'WaitingForControlPlane' }) },
      marks: undefined,
    },
    {
      case: 'is removed if the machine is excluded',
      given: { over: 5, repair: mark(true), annotations: excludedAnnotations },
      marks: undefined,
    },
    {
      case: 'changes if the server is missing',
      given: { over: 5, isServerMissing: true, repair: mark(true) },
      marks: 'Replace ServerVanished',
    },
    {
      case: 'becomes due on request for a missing server even if healing is off',
      given: { over: 5, isServerMissing: true, annotations: requestAnnotations },
      isEnabled: false,
      marks: 'Replace ServerVanished',
    },
    {
      case: 'stays due for a missing server even if healing is off',
      given: {
        over: 5,
        isServerMissing: true,
        repair: mark(true, { reason: 'ServerVanished' }),
        annotations: requestAnnotations,
      },
      isEnabled: false,
      marks: 'Replace ServerVanished',
    },
    {
      case: 'stays at Reinstall until the disk is written, even if the old node is healthy',
      given: {
        repair: reinstall({ time: at(-3) }),
        reinstallTime: at(-3),
        status: { phase: 'Ready', installed: disk() },
      },
      marks: 'Reinstall NodeNotReady',
    },
    {
      case: 'is removed if the reinstalled node is healthy',
      given: { repair: reinstall(), reinstallTime: time, status: { phase: 'Ready', installed: disk(time) } },
      marks: undefined,
    },
    {
      case: 'changes from Reinstall to Replace if the server does not join again',
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
      case: 'changes from Reinstall to Replace if the reinstallation never ends',
      given: {
        over: 1,
        repair: reinstall(),
        reinstallTime: time,
        status: { phase: 'Installing', installed: disk() },
      },
      marks: 'Replace NodeNotReady',
    },
    {
      case: 'stays at Reinstall within the time limit',
      given: {
        repair: reinstall({ time: at(-30) }),
        reinstallTime: at(-30),
        status: { phase: 'Installing', installed: disk() },
      },
      marks: 'Reinstall NodeNotReady',
    },
    {
      case: 'stays at Replace while it waits after a failed reinstallation',
      given: { over: 5, repair: mark(false, { reason: 'RepairBackingOff', strategy: 'Replace' }) },
      strategy: 'Reinstall',
      marks: 'Replace NodeNotReady',
    },
  ])('$case', ({ given, strategy = 'Reinstall', isEnabled = true, marks }) => {
    const more = { settings: { ...settings, strategy, isEnabled } };
    expect(marksOf([target('a', given), ...rest], more)['a']).toBe(marks);
  });

  test('contains the time when the repair became due, not when it started to wait', () => {
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

  test('is the same object if nothing changes', () => {
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

describe('a repair in progress when the cluster was reset', () => {
  const repair = mark(true, { time: at(-3), strategy: 'Reinstall' });
  const resetTime = at(-2);
  const status: MachineStatus = { phase: 'Installing' };

  test('is dropped while the server is being reinstalled', () => {
    expect(
      marksOf([target('a', { repair, resetTime, reinstallTime: resetTime, status }), ...healthyTargets('b')]),
    ).toEqual({});
  });

  test('starts again if the node does not come back', () => {
    const a = target('a', { over: 1, repair, resetTime, reinstallTime: resetTime });

    expect(marksOf([a, ...healthyTargets('b', 'c', 'd')])).toEqual({ a: 'Replace NodeNotReady' });
  });
});
