import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { aRelease } from '@fairway/api/testing/releases';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeRollouts } from './rollout-metrics.ts';

test('rolloutMetrics count clusters by minor version and state, and drop deleted releases', async () => {
  const place = { namespace: 'team', name: 'a', uid: 'a', since: '2026-11-22T00:00:00Z' };
  const rollout: RolloutStatus = {
    version: '1.35.2',
    state: 'Rolling',
    summary: '',
    total: 9,
    updated: 5,
    waiting: 2,
    paused: 1,
    moving: [place],
    failed: [{ ...place, message: 'no' }],
  };
  const forcedUpgrade: RolloutStatus = { ...rollout, version: '1.36', updated: 1, waiting: 0, paused: 0, failed: [] };
  const releases = [
    { ...aRelease('1.35'), status: { rollout, forcedUpgrade, clusters: 9, phase: 'Deprecated' as const } },
    aRelease('1.36'),
  ];
  const registry = new Registry();
  observeRollouts(registry, () => releases);

  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('fairway_rollout_clusters'));
  expect(lines.sort()).toEqual([
    'fairway_rollout_clusters{minor="1.35",state="failed"} 1',
    'fairway_rollout_clusters{minor="1.35",state="moving"} 1',
    'fairway_rollout_clusters{minor="1.35",state="paused"} 1',
    'fairway_rollout_clusters{minor="1.35",state="updated"} 5',
    'fairway_rollout_clusters{minor="1.35",state="waiting"} 1',
  ]);
  const forced = (await registry.metrics()).split('\n').filter((line) => line.startsWith('fairway_forced_upgrade'));
  expect(forced.sort()).toEqual([
    'fairway_forced_upgrade_clusters{minor="1.35",state="failed"} 0',
    'fairway_forced_upgrade_clusters{minor="1.35",state="moving"} 1',
    'fairway_forced_upgrade_clusters{minor="1.35",state="paused"} 0',
    'fairway_forced_upgrade_clusters{minor="1.35",state="updated"} 1',
    'fairway_forced_upgrade_clusters{minor="1.35",state="waiting"} 0',
  ]);
  expect(await registry.metrics()).toContain(
    'fairway_kubernetes_release_clusters{minor="1.35",phase="Deprecated"} 9\n',
  );
  releases.length = 0;
  expect(await registry.metrics()).not.toContain('minor="1.35"');
});
