import type { Clock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '@fairway/kube/kinds/generated/types';
import { FlowSchemas } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../auth/user.ts';
import { MAX_COST } from './compile-schemas.ts';
import { FlowControl } from './flow-control.ts';
import type { LeaveSeats } from './priority-level.ts';
import { MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';

let clock: FakeClock;
let levels: PriorityLevelConfiguration[];
let schemas: FlowSchema[];
let revision: number;
let lists: number;
beforeEach(() => {
  clock = new FakeClock();
  levels = [];
  schemas = [];
  revision = 1;
  lists = 0;
});

function open(seats: number, isConfigurable = true, ownClock: Clock = clock): FlowControl {
  const reader: ObjectReader = {
    get: () => undefined,
    list<T extends KubeObject>(type: ResourceType<T>) {
      lists++;
      return (type.plural === FlowSchemas.plural ? schemas : levels) as unknown as readonly T[];
    },
    revisionOf: () => revision,
  };
  return new FlowControl({
    reader,
    clock: ownClock,
    random: () => 0.5,
    seats,
    isConfigurable,
    holderOf: ({ username }) => username.replace(/\d+$/, ''),
  });
}

function add(name: string, limited: Omit<LimitedPriorityLevelConfiguration, 'limitResponse'>, precedence = 100): void {
  const limitResponse = { type: 'Queue', queuing: { queues: 64, handSize: 4, queueLengthLimit: 50 } };
  levels.push({
    metadata: { name, uid: `level-${name}` },
    spec: { type: 'Limited', limited: { ...limited, limitResponse } },
  });
  schemas.push({
    metadata: { name, uid: `schema-${name}` },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  });
  revision++;
}

function about(group: string, username = 'alice'): RequestAttributes {
  return { user: { username, groups: [group] }, verb: 'get', path: '/version' };
}

function enter(flowControl: FlowControl, attributes: RequestAttributes): LeaveSeats | Promise<LeaveSeats> {
  const schema = flowControl.classify(attributes);
  return flowControl.enter(schema, { attributes, seats: 1, waitMs: 60_000, signal: () => undefined });
}

function limitOf(flowControl: FlowControl, name: string): number | undefined {
  return [...flowControl.levels].find((level) => level.name === name)?.limit;
}

describe('flow control', () => {
  it('uses the mandatory objects before they are stored, and after they are deleted', () => {
    const flowControl = open(100);

    expect(flowControl.classify(about('system:masters')).name).toBe('exempt');
    expect(flowControl.classify(about('anybody')).name).toBe('catch-all');
    expect(flowControl.schemas.map(({ name }) => name)).toEqual(['exempt', 'catch-all']);
  });

  it('matches schemas by precedence, then by name', () => {
    add('b', {}, 50);
    add('a', {}, 50);
    add('c', {}, 40);
    const flowControl = open(100);
    const user = { username: 'alice', groups: ['a', 'b', 'c'] };

    expect(flowControl.classify({ user, verb: 'get', path: '/' })).toMatchObject({ name: 'c', uid: 'schema-c' });
    expect(flowControl.schemas.map(({ name }) => name)).toEqual(['exempt', 'c', 'a', 'b', 'catch-all']);
  });

  it('skips a schema whose level does not exist', () => {
    add('a', {});
    levels = [];
    const flowControl = open(100);

    expect(flowControl.classify(about('a')).name).toBe('catch-all');
  });

  it('applies changes, keeps current requests, and continues counting', () => {
    add('a', { nominalConcurrencyShares: 95 });
    const flowControl = open(100);
    const release = enter(flowControl, about('a')) as LeaveSeats;
    expect(limitOf(flowControl, 'a')).toBe(95);

    add('b', { nominalConcurrencyShares: 100 });
    expect(limitOf(flowControl, 'a')).toBe(48);
    expect(flowControl.classify(about('a')).counts).toMatchObject({ dispatched: 1, executing: 1 });
    release();
    expect(flowControl.classify(about('a')).counts.executing).toBe(0);
  });

  it('lends unneeded seats, and reclaims them', async () => {
    add('busy', { nominalConcurrencyShares: 20 });
    add('idle', { nominalConcurrencyShares: 75, lendablePercent: 80 });
    const flowControl = open(100);
    const previous = limitOf(flowControl, 'busy') ?? 0;
    const waiting: Promise<LeaveSeats>[] = [];
    const running: LeaveSeats[] = [];
    for (let user = 0; user < 90; user++) {
      const entered = enter(flowControl, about('busy', `user-${user}`));
      if (entered instanceof Promise) waiting.push(entered);
      else running.push(entered);
    }
    expect(running).toHaveLength(previous);

    // No new request arrives: waiting requests are admitted as soon as seats are available.
    await clock.advance(10_000);
    expect(limitOf(flowControl, 'busy')).toBeGreaterThan(75);
    expect(limitOf(flowControl, 'idle')).toBeGreaterThanOrEqual(15);
    expect(flowControl.classify(about('busy')).counts.executing).toBeGreaterThan(75);

    for (let user = 0; user < 60; user++)
      Promise.resolve(enter(flowControl, about('idle', `user-${user}`))).catch(() => undefined);
    await clock.advance(10_000);
    expect(limitOf(flowControl, 'idle')).toBeGreaterThan(40);
    for (const release of running) release();
    for (const entered of waiting) entered.then((release) => release()).catch(() => undefined);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does nothing without requests', async () => {
    add('a', { nominalConcurrencyShares: 30 });
    const flowControl = open(100);
    (enter(flowControl, about('a')) as LeaveSeats)();

    expect(clock.pendingTimers).toBe(0);
    const listCalls = lists;
    for (let time = 0; time < 100; time++) flowControl.classify(about('a'));
    expect(lists).toBe(listCalls);
  });

  it('applies changes and lends seats even if the clock was set back', () => {
    let shiftMs = 0;
    // Each clock read takes a millisecond, so that compilation pauses.
    const now = () => clock.now() + shiftMs++;
    const flowControl = open(100, true, {
      now,
      after: (ms, callback) => clock.after(ms, callback),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    });
    add('busy', { nominalConcurrencyShares: 20 });
    add('idle', { nominalConcurrencyShares: 75, lendablePercent: 80 });
    flowControl.classify(about('busy'));
    shiftMs += 1000;
    const previous = limitOf(flowControl, 'busy') ?? 0;
    for (let user = 0; user < 90; user++)
      Promise.resolve(enter(flowControl, about('busy', `user-${user}`))).catch(() => undefined);

    shiftMs -= 3_600_000;
    add('new', {}, 10);

    expect(flowControl.classify(about('new')).name).toBe('new');
    void enter(flowControl, about('new'));
    expect(limitOf(flowControl, 'busy')).toBeGreaterThan(previous);
  });

  it('compares a request with a bounded number of rules, and reports ignored schemas', () => {
    add('first', {}, 10);
    add('huge', {}, 20);
    add('last', {}, 30);
    const subjects = Array.from({ length: MAX_COST }, () => ({ kind: 'Group', group: { name: 'huge' } }));
    (schemas[1] as FlowSchema).spec.rules = [
      { subjects, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] },
    ];
    const flowControl = open(100);

    expect(flowControl.schemas.map(({ name }) => name)).toEqual(['exempt', 'first', 'catch-all']);
    expect(flowControl.classify(about('huge')).name).toBe('catch-all');
  });

  it('compares a request with a bounded number of schemas, even without rules', () => {
    for (let number = 0; number <= MAX_COST; number++) add(`empty-${number}`, {}, 10);
    for (const { spec } of schemas) spec.rules = [];
    const flowControl = open(100);

    expect(flowControl.schemas.length).toBeLessThanOrEqual(MAX_COST + 1);
    expect(flowControl.classify(about('system:masters')).name).toBe('exempt');
    expect(flowControl.classify(about('anybody')).name).toBe('catch-all');
  });

  it('uses the standard objects if the kinds are not served, and is fair among users', () => {
    const flowControl = open(245, false);

    expect(flowControl.schemas).toHaveLength(
      MANDATORY_OBJECTS.flowSchemas.length + SUGGESTED_OBJECTS.flowSchemas.length,
    );
    expect(flowControl.classify(about('system:serviceaccounts')).name).toBe('service-accounts');
    expect(lists).toBe(0);
  });
});
