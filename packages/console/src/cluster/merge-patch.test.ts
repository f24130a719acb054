import { expect, test } from 'vitest';
import { changedPaths, mergePatch } from './merge-patch.ts';

const POOL = { metadata: { name: 'a', labels: { team: 'x' } }, spec: { replicas: 3, availabilityZones: ['nova'] } };

test.each([
  { after: POOL, expected: undefined, reason: 'nothing is changed' },
  {
    after: { ...POOL, spec: { ...POOL.spec, replicas: 5 } },
    expected: { spec: { replicas: 5 } },
    reason: 'what is not changed is not written',
  },
  {
    after: { metadata: { name: 'a' }, spec: { replicas: 3, availabilityZones: ['nova', 'eu-1'] } },
    expected: { metadata: { labels: null }, spec: { availabilityZones: ['nova', 'eu-1'] } },
    reason: 'what is gone is taken away, and a list is written in a whole',
  },
])('a merge patch: $reason', ({ after, expected }) => {
  expect(mergePatch(POOL, after)).toEqual(expected);
});

test('the fields that a patch changes', () => {
  expect(changedPaths({ metadata: { labels: { 'a.b/c': null } }, spec: { replicas: 5, list: [1] } })).toEqual([
    ['metadata', 'labels', 'a.b/c'],
    ['spec', 'replicas'],
    ['spec', 'list'],
  ]);
});
