import { expect, test } from 'vitest';
import { changedPaths, mergePatch } from './merge-patch.ts';

const POOL = { metadata: { name: 'a', labels: { team: 'x' } }, spec: { replicas: 3, availabilityZones: ['nova'] } };

test.each([
  { after: POOL, expected: undefined, reason: 'nothing has changed' },
  {
    after: { ...POOL, spec: { ...POOL.spec, replicas: 5 } },
    expected: { spec: { replicas: 5 } },
    reason: 'unchanged fields are not written',
  },
  {
    after: { metadata: { name: 'a' }, spec: { replicas: 3, availabilityZones: ['nova', 'eu-1'] } },
    expected: { metadata: { labels: null }, spec: { availabilityZones: ['nova', 'eu-1'] } },
    reason: 'a missing field is removed, and a list is written as a whole',
  },
])('a merge patch: $reason', ({ after, expected }) => {
  expect(mergePatch(POOL, after)).toEqual(expected);
});

test('lists the fields that a patch changes', () => {
  expect(changedPaths({ metadata: { labels: { 'a.b/c': null } }, spec: { replicas: 5, list: [1] } })).toEqual([
    ['metadata', 'labels', 'a.b/c'],
    ['spec', 'replicas'],
    ['spec', 'list'],
  ]);
});
