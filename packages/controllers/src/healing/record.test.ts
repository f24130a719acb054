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
  const unhealthy = { reason: 'NodeNotReady' as const, message: '', sinceMs: 0, dueMs: 0, isServerMissing: false };
  return {
    machine: of,
    unhealthy,
    reason: 'NodeNotReady',
    message: '',
    isServerMissing: false,
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
const NEW_MACHINE = machine('n', 1);
const ENDED_REPAIR = repair('a', 0, { endTime: at(5) });

describe('the repair record of a pool', () => {
  test.each<Case>([
    { case: 'is undefined if nothing happens', machines: [OLD], record: undefined },
    {
      case: 'takes a repair from its mark',
      machines: [machine('a', -900, mark(0))],
      record: { repairs: [repair('a', 0)] },
    },
    {
      case: 'ends a repair when the machine is deleted',
      last: { repairs: [repair('a', 0)] },
      machines: [NEW_MACHINE],
      record: { repairs: [repair('a', 0, { endTime: at(10) })] },
    },
    {
      case: 'ends a repair when the mark is removed',
      last: { repairs: [repair('a', 0)] },
      machines: [OLD],
      record: { repairs: [repair('a', 0, { endTime: at(10) })] },
    },
    {
      case: 'drops a repair after an hour',
      last: { repairs: [ENDED_REPAIR] },
      machines: [NEW_MACHINE],
      now: 65,
      record: undefined,
    },
    {
      case: 'counts a failure if the replacement becomes unhealthy within an hour',
      last: { repairs: [ENDED_REPAIR] },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE)],
      record: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'counts a failure if the machine becomes unhealthy again within an hour',
      last: { repairs: [ENDED_REPAIR] },
      machines: [OLD],
      candidates: [candidate(OLD)],
      record: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'counts each failure once',
      last: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 1, notBefore: at(20) },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE)],
      record: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 1, notBefore: at(20) },
    },
    {
      case: 'does not count other machines that existed before',
      last: { repairs: [ENDED_REPAIR] },
      machines: [NEW_MACHINE, machine('other', -900)],
      candidates: [candidate(machine('other', -900))],
      record: { repairs: [ENDED_REPAIR] },
    },
    {
      case: 'does not count requested repairs, or missing servers',
      last: { repairs: [ENDED_REPAIR] },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE, { isRequested: true }), candidate(NEW_MACHINE, { isServerMissing: true })],
      record: { repairs: [ENDED_REPAIR] },
    },
    {
      case: 'does not count a requested repair, since its node may have been healthy',
      last: { repairs: [{ ...ENDED_REPAIR, reason: 'RepairRequested' }] },
      machines: [OLD, NEW_MACHINE],
      candidates: [candidate(OLD), candidate(NEW_MACHINE)],
      record: { repairs: [{ ...ENDED_REPAIR, reason: 'RepairRequested' }] },
    },
    {
      case: 'counts a requested reinstallation that has not ended in time',
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
      last: { repairs: [ENDED_REPAIR], failures: 3, notBefore: at(-5) },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE)],
      record: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 4, notBefore: at(90) },
    },
    {
      case: 'limits the pause to six hours',
      last: { repairs: [ENDED_REPAIR], failures: 30 },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE)],
      record: { repairs: [{ ...ENDED_REPAIR, hasFailed: true }], failures: 31, notBefore: at(370) },
    },
    {
      case: 'is kept while the next repair waits for longer than an hour',
      last: { failures: 4, notBefore: at(60) },
      machines: [NEW_MACHINE],
      candidates: [candidate(NEW_MACHINE)],
      record: { failures: 4, notBefore: at(60) },
    },
    {
      case: 'is dropped after an hour without a failure',
      last: { repairs: [ENDED_REPAIR], failures: 2, notBefore: at(0) },
      machines: [NEW_MACHINE],
      now: 70,
      record: undefined,
    },
    {
      case: 'contains a request once its repair has begun',
      machines: [machine('a', -900, mark(10, 'RepairRequested'), 'now')],
      record: { repairs: [repair('a', 10, { reason: 'RepairRequested' })], requests: [{ machine: 'a', value: 'now' }] },
    },
    {
      case: 'keeps a request as long as the machine exists, since the annotation may be set again',
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

  test('recordDueMs is the end of the backoff, or of the hour', () => {
    const record = { repairs: [ENDED_REPAIR], failures: 1, notBefore: at(20) };

    expect(recordDueMs(record, T0_MS)).toBe(T0_MS + 20 * MINUTE_MS);
    expect(recordDueMs(record, T0_MS + 30 * MINUTE_MS)).toBe(T0_MS + 65 * MINUTE_MS);
    expect(recordDueMs(record, T0_MS + 70 * MINUTE_MS)).toBeUndefined();
  });
});
