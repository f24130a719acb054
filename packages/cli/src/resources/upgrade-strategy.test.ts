import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { type UpgradeStrategy, upgradeStrategy, versionFor } from './upgrade-strategy.ts';

test.each<{ reason: string; status?: ClusterStatus; chosen: object }>([
  {
    reason: 'the newest patch',
    chosen: { nothing: 'does not run a version yet: see "fairway cluster get demo"' },
  },
  {
    reason: 'the next minor version, even if a patch is available',
    status: { version: '1.35.2', nextUpgradeVersions: ['1.36'], availablePatch: '1.35.4' },
    chosen: { version: '1.36', why: '1.36 is the next minor version after 1.35.2' },
  },
  {
    reason: 'the newest patch, if nodes are too old for the next minor version',
    status: { version: '1.35.2', nextUpgradeVersions: [], availablePatch: '1.35.4' },
    chosen: {
      version: '1.35.4',
      why: '1.35.4 is the newest patch; no newer minor version is available for the cluster',
    },
  },
  {
    reason: 'nothing, if the cluster runs the newest version',
    status: { version: '1.36.3', nextUpgradeVersions: [], upToDate: true },
    chosen: { nothing: 'runs 1.36.3; no newer version is available for it' },
  },
])('$reason', ({ status, chosen }) => {
  expect(versionFor({ ...aCluster(), ...(status && { status }) })).toEqual(chosen);
});

const BOTH = { version: '1.35.2', nextUpgradeVersions: ['1.36'], availablePatch: '1.35.4' };

test.each<{ strategy: UpgradeStrategy; of: string; status: ClusterStatus; chosen: object }>([
  {
    strategy: 'latest-patch',
    of: 'both',
    status: BOTH,
    chosen: { version: '1.35.4', why: '1.35.4 is the newest patch' },
  },
  {
    strategy: 'next-minor',
    of: 'both',
    status: BOTH,
    chosen: { version: '1.36', why: '1.36 is the next minor version after 1.35.2' },
  },
  {
    strategy: 'latest-patch',
    of: 'only a minor version',
    status: { version: '1.35.4', nextUpgradeVersions: ['1.36'] },
    chosen: { nothing: 'runs 1.35.4; no newer patch is available for it (strategy LATEST_PATCH)' },
  },
  {
    strategy: 'next-minor',
    of: 'only a patch',
    status: { version: '1.35.2', nextUpgradeVersions: [], availablePatch: '1.35.4' },
    chosen: { nothing: 'runs 1.35.2; no newer minor version is available for it (strategy NEXT_MINOR)' },
  },
])('chooses the version for strategy $strategy with $of available', ({ strategy, status, chosen }) => {
  expect(versionFor({ ...aCluster(), status }, strategy)).toEqual(chosen);
});

test.each([
  { text: 'latest-patch', is: 'latest-patch' },
  { text: 'NEXT_MINOR', is: 'next-minor' },
])('accepts the strategy $text', ({ text, is }) => {
  expect(upgradeStrategy(text)).toBe(is);
});

test('rejects other words', () => {
  expect(() => upgradeStrategy('newest')).toThrow(
    'Allowed choices are latest-patch (LATEST_PATCH) and next-minor (NEXT_MINOR).',
  );
});
