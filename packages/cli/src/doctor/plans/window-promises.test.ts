import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { windowPromises } from './window-promises.ts';

const NOW_MS = Date.UTC(2026, 10, 22);

/** The shipped releases, with the binaries of some versions. */
function releasesWith(...available: readonly string[]) {
  return SHIPPED_RELEASES.map((release) => ({
    ...release,
    status: {
      available: release.spec.patches.map(({ version }) => version).filter((each) => available.includes(each)),
    },
  }));
}

test.each<{ reason: string; kubernetes: PlanSpec['kubernetes']; available: string[]; expected: readonly object[] }>([
  { reason: 'no window', kubernetes: undefined, available: [], expected: [] },
  { reason: 'an empty window', kubernetes: {}, available: [], expected: [] },
  {
    reason: 'each minor version has a patch',
    kubernetes: { oldest: '1.35', newest: '1.36' },
    available: ['1.35.0', '1.36.0'],
    expected: [],
  },
  {
    reason: 'a minor version has no binaries',
    kubernetes: { oldest: '1.35', newest: '1.36' },
    available: ['1.36.0'],
    expected: [
      {
        what: 'spec.kubernetes: oldest 1.35, newest 1.36',
        problem: 'the binaries of all patches of 1.35 are missing here',
        advice: expect.stringMatching(/^fairway releases fetch 1\.35\.\d+$/),
      },
    ],
  },
  {
    reason: 'versions past their end of life are not missed',
    kubernetes: { oldest: '1.31' },
    available: ['1.35.0', '1.36.0'],
    expected: [],
  },
  {
    reason: 'all versions are past their end of life',
    kubernetes: { newest: '1.32' },
    available: ['1.32.0'],
    expected: [
      {
        what: 'spec.kubernetes: newest 1.32',
        problem: 'no KubernetesRelease within it is supported; the catalog has 1.31, 1.32, 1.33, 1.34, 1.35, 1.36',
        advice: 'change the window, or add a KubernetesRelease',
      },
    ],
  },
])('$reason', ({ kubernetes, available, expected }) => {
  const plan = aPlan(kubernetes === undefined ? {} : { kubernetes });

  expect(windowPromises(plan, releasesWith(...available), NOW_MS)).toEqual(expected);
});

test('a catalog without releases offers nothing', () => {
  expect(windowPromises(aPlan({ kubernetes: { newest: '1.36' } }), [], NOW_MS)).toMatchObject([
    { problem: 'no KubernetesRelease within it is supported; the catalog has none' },
  ]);
});
