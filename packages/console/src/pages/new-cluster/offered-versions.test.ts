import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { expect, test } from 'vitest';
import { offeredVersions } from './offered-versions.ts';

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

  expect(offeredVersions(releases).map(({ minor, isDefault }) => [minor, isDefault])).toEqual([
    ['1.37', false],
    ['1.36', true],
    ['1.9', false],
  ]);
});

test('does not offer a release that no controller has processed yet', () => {
  expect(offeredVersions([{ ...release('1.36', 'Supported'), status: {} }])).toEqual([]);
});
