import { REPAIR_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import type { HealingRecord, PastRepair } from '@fairway/api/kinds/node-pool-healing';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, test } from 'vitest';
import { nextRecord, recordDueMs } from './record.ts';
import type { Candidate } from './repair-plan.ts';

const MINUTE_MS = 60_000;
const T0_MS = Date.UTC(2026, 0, 1);
const at = (minutes: number) => formatTime(T0_MS + minutes * MINUTE_MS);

function machine(name: string, created: number, repair?: RepairMark, request?: string): Machine {
  return {
    metadata: {
      name,
      creationTimestamp: at(created),
      ...(request !== undefined && { annotations: { [REPAIR_ANNOTATION]: request } }),
    },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'f',
      image: 'i',
      version: '1.34.2',
      floatingIP: false,
    },
    status: repair ? { marks: { repair } } : {},
  };
}

const mark = (time: number, reason = 'NodeNotReady'): RepairMark => {
  return { due: true, reason, message: '', time: at(time), strategy: 'Replace' };
};
const repair = (name: string, time: number, more: Partial<PastRepair> = {}): PastRepair => {
  return { machine: name, time: at(time), reason: 'NodeNotReady', strategy: 'Replace', ...more };
};
const candidate = (of: Machine, more: Partial<Candidate> = {}): Candidate => {
  const unhealthy = { reason: 'NodeNotReady' as const, message: '', sinceMs: 0, dueMs: 0, isGone: false };
  return {
    machine: of,
    unhealthy,
    reason: 'NodeNotReady',
    message: '',
    isGone: false,
    isRequested: false,
    isEscalated: false,
    ...more,
  };
};

interface Case {
  readonly case: string;
  readonly last?: HealingRecord;
  readonly machines?: readonly Machine[];
  readonly candidates?: readonly Candidate[];
  readonly now?: number;
  readonly record: HealingRecord | undefined;
}

const OLD = machine('a', -900);
const YOUNG = machine('n', 1);
const ENDED = repair('a', 0, { endTime: at(5) });

describe('the record', () => {
  test.each<Case>([
    { case: 'is nothing where nothing happens', machines: [OLD], record: undefined },
    {
      case: 'takes a repair from its mark',
      machines: [machine('a', -900, mark(0))],
      record: { repairs: [repair('a', 0)] },
    },
    {
      case: 'ends it when the machine is gone',
      last: { repairs: [repair('a', 0)] },
      machines: [YOUNG],
      record: { repairs: [repair('a', 0, { endTime: at(10) })] },
    },
    {
      case: 'ends it when the mark is gone',
      last: { repairs: [repair('a', 0)] },
      machines: [OLD],
      record: { repairs: [repair('a', 0, { endTime: at(10) })] },
    },
    { case: 'forgets it after an hour', last: { repairs: [ENDED] }, machines: [YOUNG], now: 65, record: undefined },
    {
      case: 'counts one whose replacement is broken within the hour',
      last: { repairs: [ENDED] },
      machines: [YOUNG],
      candidates: [candidate(YOUNG)],
      record: { repairs: [{ ...ENDED, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'counts one whose machine is broken again within the hour',
      last: { repairs: [ENDED] },
      machines: [OLD],
      candidates: [candidate(OLD)],
      record: { repairs: [{ ...ENDED, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'counts it once',
      last: { repairs: [{ ...ENDED, hasFailed: true }], failures: 1, notBefore: at(20) },
      machines: [YOUNG],
      candidates: [candidate(YOUNG)],
      record: { repairs: [{ ...ENDED, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'does not count another machine, which was there before',
      last: { repairs: [ENDED] },
      machines: [YOUNG, machine('other', -900)],
      candidates: [candidate(machine('other', -900))],
      record: { repairs: [ENDED] },
    },
    {
      case: 'does not count what a person asks for, or a server that is gone',
      last: { repairs: [ENDED] },
      machines: [YOUNG],
      candidates: [candidate(YOUNG, { isRequested: true }), candidate(YOUNG, { isGone: true })],
      record: { repairs: [ENDED] },
    },
    {
      case: 'does not count a repair that a person asked for, of a node that may have been well',
      last: { repairs: [{ ...ENDED, reason: 'RepairRequested' }] },
      machines: [OLD, YOUNG],
      candidates: [candidate(OLD), candidate(YOUNG)],
      record: { repairs: [{ ...ENDED, reason: 'RepairRequested' }] },
    },
    {
      case: 'but counts its reinstallation that has not ended in time',
      last: { repairs: [repair('a', 0, { reason: 'RepairRequested' })] },
      machines: [machine('a', -900, mark(0, 'RepairRequested'))],
      candidates: [candidate(OLD, { isEscalated: true })],
      record: {
        repairs: [repair('a', 0, { reason: 'RepairRequested', hasFailed: true })],
        failures: 1,
        notBefore: at(20),
      },
    },
    {
      case: 'doubles the pause with each failure',
      last: { repairs: [ENDED], failures: 3, notBefore: at(-5) },
      machines: [YOUNG],
      candidates: [candidate(YOUNG)],
      record: { repairs: [{ ...ENDED, hasFailed: true }], failures: 4, notBefore: at(90) },
    },
    {
      case: 'up to six hours',
      last: { repairs: [ENDED], failures: 30 },
      machines: [YOUNG],
      candidates: [candidate(YOUNG)],
      record: { repairs: [{ ...ENDED, hasFailed: true }], failures: 31, notBefore: at(370) },
    },
    {
      case: 'goes on while the next one waits for longer than an hour',
      last: { failures: 4, notBefore: at(60) },
      machines: [YOUNG],
      candidates: [candidate(YOUNG)],
      record: { failures: 4, notBefore: at(60) },
    },
    {
      case: 'is over after an hour in which nothing broke',
      last: { repairs: [ENDED], failures: 2, notBefore: at(0) },
      machines: [YOUNG],
      now: 70,
      record: undefined,
    },
    {
      case: 'notes a request when its repair has begun',
      machines: [machine('a', -900, mark(10, 'RepairRequested'), 'now')],
      record: { repairs: [repair('a', 10, { reason: 'RepairRequested' })], requests: [{ machine: 'a', value: 'now' }] },
    },
    {
      case: 'keeps it as long as there is the machine: the annotation may come back',
      last: {
        requests: [
          { machine: 'a', value: 'now' },
          { machine: 'b', value: 'now' },
          { machine: 'c', value: 'now' },
        ],
      },
      machines: [machine('a', -900, undefined, 'now'), machine('b', -900)],
      record: {
        requests: [
          { machine: 'a', value: 'now' },
          { machine: 'b', value: 'now' },
        ],
      },
    },
  ])('$case', ({ last = {}, machines = [], candidates = [], now = 10, record }) => {
    expect(nextRecord(last, { machines, candidates, nowMs: T0_MS + now * MINUTE_MS })).toEqual(record);
  });

  test('is looked at again when the pause is over, and when an hour is', () => {
    const record = { repairs: [ENDED], failures: 1, notBefore: at(20) };

    expect(recordDueMs(record, T0_MS)).toBe(T0_MS + 20 * MINUTE_MS);
    expect(recordDueMs(record, T0_MS + 30 * MINUTE_MS)).toBe(T0_MS + 65 * MINUTE_MS);
    expect(recordDueMs(record, T0_MS + 70 * MINUTE_MS)).toBeUndefined();
  });
});
