import { expect, test } from 'vitest';
import { aCluster } from '../testing/objects.ts';
import { describeUsers, minorsInUse } from './in-use.ts';

test.each([
  { names: ['a'], says: 'cluster team/a uses it' },
  { names: ['b', 'a', 'c'], says: '3 clusters use it (team/a, team/b, team/c)' },
  { names: ['e', 'd', 'c', 'b', 'a'], says: '5 clusters use it (team/a, team/b, team/c, 2 more)' },
])('$names: $says', ({ names, says }) => {
  expect(describeUsers(names.map((name) => aCluster({}, { name })))).toBe(says);
});

test.each([
  { asked: undefined, runs: undefined, minors: [], reason: 'it has not chosen yet' },
  { asked: '1.35', runs: undefined, minors: ['1.35'], reason: 'its control plane may be starting' },
  { asked: undefined, runs: '1.34.2', minors: ['1.34'], reason: 'it follows the minor version that it runs' },
  { asked: '1.35', runs: '1.34.2', minors: ['1.34', '1.35'], reason: 'an upgrade needs both' },
  { asked: '1.35.1', runs: 'nonsense', minors: ['1.35'], reason: 'a status may hold anything' },
])('a cluster that asks for $asked and runs $runs uses $minors: $reason', ({ asked, runs, minors }) => {
  const cluster = aCluster(asked === undefined ? {} : { version: asked });

  expect([...minorsInUse({ ...cluster, status: { ...(runs !== undefined && { version: runs }) } })].sort()).toEqual(
    minors,
  );
});
