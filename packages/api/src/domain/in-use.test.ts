import { expect, test } from 'vitest';
import { aCluster, aPlan } from '../testing/objects.ts';
import { dependentsOf, describeDependents, describeUsers, minorsInUse } from './in-use.ts';

test.each([
  { names: ['a'], expectedMessage: 'cluster team/a uses it' },
  { names: ['b', 'a', 'c'], expectedMessage: '3 clusters use it (team/a, team/b, team/c)' },
  { names: ['e', 'd', 'c', 'b', 'a'], expectedMessage: '5 clusters use it (team/a, team/b, team/c, 2 more)' },
])('describes the users $names: $expectedMessage', ({ names, expectedMessage }) => {
  expect(describeUsers(names.map((name) => aCluster({}, { name })))).toBe(expectedMessage);
});

test.each([
  { names: ['gold'], expectedMessage: 'plan gold takes its limits from it' },
  { names: ['b', 'a', 'd', 'c'], expectedMessage: '4 plans take their limits from it (a, b, c, 1 more)' },
])('describes the plans $names that take their limits from one: $expectedMessage', ({ names, expectedMessage }) => {
  expect(describeDependents(names.map((name) => aPlan({}, { name })))).toBe(expectedMessage);
});

test('plans depend on the one whose limits they share, until they are deleted', () => {
  const gold = aPlan({ limitsFrom: 'base' }, { name: 'gold' });
  const ended = aPlan({ limitsFrom: 'base' }, { name: 'ended', deletionTimestamp: '2026-11-30T00:00:00Z' });

  expect(dependentsOf('base', [gold, ended, aPlan({ limitsFrom: 'other' }), aPlan()])).toEqual([gold]);
});

test.each([
  { asked: undefined, runs: undefined, minors: [], reason: 'the cluster has not selected a version yet' },
  { asked: '1.35', runs: undefined, minors: ['1.35'], reason: 'the control plane may be starting' },
  { asked: undefined, runs: '1.34.2', minors: ['1.34'], reason: 'the cluster follows its current minor version' },
  { asked: '1.35', runs: '1.34.2', minors: ['1.34', '1.35'], reason: 'an upgrade needs both versions' },
  { asked: '1.35.1', runs: 'nonsense', minors: ['1.35'], reason: 'a status may contain anything' },
])('uses $minors with spec.version $asked and status.version $runs: $reason', ({ asked, runs, minors }) => {
  const cluster = aCluster(asked === undefined ? {} : { version: asked });

  expect([...minorsInUse({ ...cluster, status: { ...(runs !== undefined && { version: runs }) } })].sort()).toEqual(
    minors,
  );
});
