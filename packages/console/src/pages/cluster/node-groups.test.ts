import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { expect, test } from 'vitest';
import { nodeGroups, phaseOf } from './node-groups.ts';

function machine(name: string, nodePoolName: string, zone?: string, phase?: MachinePhase): Machine {
  return { metadata: { name }, spec: { nodePoolName, zone }, status: { phase } } as unknown as Machine;
}

test('groups nodes by pool and zone, including empty pools', () => {
  const groups = nodeGroups(
    ['general', 'empty'],
    [
      machine('b', 'general', 'nova-b'),
      machine('c', 'general', 'nova-a'),
      machine('a', 'general', 'nova-b'),
      machine('x', 'gone'),
    ],
  );

  expect(
    groups.map(({ pool, zones }) => [
      pool,
      zones.map(({ zone, machines }) => [zone, machines.map(({ metadata }) => metadata.name)]),
    ]),
  ).toEqual([
    ['empty', []],
    [
      'general',
      [
        ['nova-a', ['c']],
        ['nova-b', ['a', 'b']],
      ],
    ],
    ['gone', [[undefined, ['x']]]],
  ]);
});

test('shows a machine that is being deleted as draining, whatever its phase', () => {
  const ready = machine('a', 'general', 'nova-a', 'Ready');

  expect(phaseOf(ready)).toBe('Ready');
  expect(phaseOf({ ...ready, metadata: { name: 'a', deletionTimestamp: '2026-11-26T10:00:00Z' } })).toBe('Draining');
  expect(phaseOf(machine('b', 'general'))).toBe('Pending');
});
