import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { offeredVersions } from './offered-versions.ts';

const NOW_MS = Date.UTC(2026, 10, 30);

function release(minor: string, phase: 'Preview' | 'Supported' | 'Deprecated' | 'EndOfLife'): KubernetesRelease {
  const newest = `${minor}.4`;
  return {
    apiVersion: 'fairway.dev/v1alpha1',
    kind: 'KubernetesRelease',
    metadata: { name: minor },
    spec: {
      minor,
      endOfLife: '2027-06-28',
      source: '',
      patches: [{ version: newest, withdrawn: false }],
      components: {},
    },
    status: { phase, newest },
  };
}

test('offers supported versions for new clusters, newest first, then previews', () => {
  const releases = [
    release('1.34', 'EndOfLife'),
    release('1.9', 'Supported'),
    release('1.36', 'Supported'),
    release('1.37', 'Preview'),
  ];

  expect(offeredVersions(releases, undefined, NOW_MS).map(({ minor, isDefault }) => [minor, isDefault])).toEqual([
    ['1.37', false],
    ['1.36', true],
    ['1.9', false],
  ]);
});

test('does not offer a release that no controller has processed yet', () => {
  expect(offeredVersions([{ ...release('1.36', 'Supported'), status: {} }], undefined, NOW_MS)).toEqual([]);
});

test.each([
  { enforcement: 'Refuse', isRefused: true, standard: '1.35' },
  { enforcement: 'Warn', isRefused: false, standard: '1.35' },
] as const)('marks versions beyond the plan’s limit, which are never the default: $enforcement', (row) => {
  const { enforcement, isRefused, standard } = row;
  const limitNotes = [{ limit: 'kubernetes', value: '', enforcement, reason: 'untested' } as const];
  const plan = aPlan({ kubernetes: { newest: '1.35' }, limitNotes }).spec;
  const offered = offeredVersions([release('1.36', 'Supported'), release('1.35', 'Supported')], plan, NOW_MS);

  expect(offered).toMatchObject([
    { minor: '1.36', limit: { isRefused, note: { reason: 'untested' } } },
    { minor: '1.35', limit: undefined },
  ]);
  expect(offered.find(({ isDefault }) => isDefault)?.minor).toBe(standard);
});

test('has no default if the plan refuses all versions', () => {
  const plan = aPlan({ kubernetes: { newest: '1.27' } }).spec;

  expect(offeredVersions([release('1.36', 'Supported')], plan, NOW_MS)).toMatchObject([{ isDefault: false }]);
});
