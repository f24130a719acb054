import type { Machine } from '@fairway/api/kinds/machine';
import { describe, expect, test } from 'vitest';
import { localTime } from '../output/local-time.ts';
import { drainGoal, exclusionMessage, notRepairableReason, repairMessage } from './machine-verbs.ts';

const TIME = '2026-11-22T00:00:00Z';
const repair = { due: true, reason: 'NodeNotReady', message: 'the kubelet is down', time: TIME, strategy: 'Replace' };

function machine(status: object = {}, metadata: Machine['metadata'] = {}): Machine {
  const spec = { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.36.3' };
  return {
    metadata: { name: 'demo-a', ...metadata },
    spec: { ...spec, floatingIP: false },
    status: { serverID: 's', phase: 'NotReady', ...status },
  };
}

describe('a repair', () => {
  test.each<{ of: string; machine: Machine; why: RegExp | undefined }>([
    { of: 'a broken machine', machine: machine(), why: undefined },
    { of: 'a healthy machine', machine: machine({ phase: 'Ready' }), why: undefined },
    {
      of: 'a machine whose repair is waiting',
      machine: machine({ marks: { repair: { ...repair, due: false } } }),
      why: undefined,
    },
    { of: 'a machine without a server', machine: machine({ serverID: undefined }), why: /no server yet/ },
    {
      of: 'a machine that is being deleted',
      machine: machine({}, { deletionTimestamp: TIME }),
      why: /already being deleted/,
    },
    {
      of: 'a machine that is excluded',
      machine: machine({}, { annotations: { 'fairway.dev/exclude-from-healing': '' } }),
      why: /run "fairway machine include demo-a" first/,
    },
    {
      of: 'a machine that is paused',
      machine: machine({}, { annotations: { 'fairway.dev/paused': 'true' } }),
      why: /is paused/,
    },
    {
      of: 'a machine that is being repaired',
      machine: machine({ marks: { repair } }),
      why: new RegExp(`in progress since ${localTime(TIME)}: the kubelet is down`),
    },
  ])('is possible or refused for $of', ({ machine: of, why }) => {
    expect(notRepairableReason(of) ?? 'nothing is in the way').toMatch(why ?? /^nothing is in the way$/);
  });

  test('is accepted for a healthy node, with a note', () => {
    expect(repairMessage(machine({ phase: 'Ready' }))).toMatch(/^its node is Ready and is repaired anyway; /);
    expect(repairMessage(machine())).toMatch(/^its server is reinstalled or replaced, .* of pool general /);
  });
});

test('excludes a machine and reports what happens to its repair', () => {
  expect(exclusionMessage(machine(), true)).toBe(
    'excluded: its node is not repaired until "fairway machine include demo-a"',
  );
  expect(exclusionMessage(machine({ marks: { repair } }), true)).toMatch(/^excluded: the repair in progress /);
  expect(exclusionMessage(machine(), false)).toMatch(/^included: /);
});

test.each([
  { of: 'a machine that stays', machine: machine(), goal: undefined },
  {
    of: 'a machine that is being deleted',
    machine: machine({ phase: 'Draining' }, { deletionTimestamp: TIME }),
    goal: 'the server is deleted',
  },
  {
    of: 'a machine whose drain is over',
    machine: machine({ phase: 'Terminated' }, { deletionTimestamp: TIME }),
    goal: undefined,
  },
  { of: 'a machine to be reinstalled', machine: machine({ reinstall: {} }), goal: 'the server is reinstalled' },
  {
    of: 'a machine that is being reinstalled',
    machine: machine({ reinstall: { requestedTime: TIME } }),
    goal: undefined,
  },
])('finds the goal after draining $of', ({ machine: of, goal }) => {
  expect(drainGoal(of)).toBe(goal);
});
