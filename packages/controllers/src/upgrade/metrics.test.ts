import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { UpgradeMetrics } from './metrics.ts';

const START = '2026-01-01T00:00:00Z';
const NOW_MS = Date.parse('2026-01-01T00:02:00Z');

const upgrade = (changes: Partial<PoolUpgrade>): PoolUpgrade => ({
  target: '1.51.0-a',
  strategy: 'Rolling',
  state: 'Running',
  total: 5,
  done: 0,
  summary: '',
  pace: { time: START, done: 0 },
  ...changes,
});

async function samples(...changes: readonly [PoolUpgrade | undefined, PoolUpgrade][]): Promise<string[]> {
  const registry = new Registry();
  const metrics = new UpgradeMetrics(registry);
  for (const [last, now] of changes) metrics.changed(last, now, NOW_MS);
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('fairway') && !line.includes('_bucket'));
}

test('updated nodes are counted, each with its share of the time', async () => {
  expect(await samples([upgrade({ done: 1 }), upgrade({ done: 3 })])).toEqual([
    'fairway_upgrade_renewed_nodes_total{strategy="Rolling"} 2',
    'fairway_upgrade_node_duration_seconds_sum{strategy="Rolling"} 120',
    'fairway_upgrade_node_duration_seconds_count{strategy="Rolling"} 2',
  ]);
});

test('time spent waiting is not counted for any node', async () => {
  const { pace: _, ...waiting } = upgrade({ done: 1, state: 'Waiting' });
  expect(await samples([waiting, upgrade({ done: 2 })])).toEqual([
    'fairway_upgrade_renewed_nodes_total{strategy="Rolling"} 1',
  ]);
});

test('a result is counted once', async () => {
  const halted = upgrade({ state: 'Halted' });
  expect(await samples([upgrade({}), halted], [halted, halted], [halted, upgrade({ state: 'Aborted' })])).toEqual([
    'fairway_upgrade_pool_results_total{strategy="Rolling",result="halted"} 1',
    'fairway_upgrade_pool_results_total{strategy="Rolling",result="aborted"} 1',
  ]);
});

test('results for an earlier target are not counted again', async () => {
  expect(await samples([upgrade({ target: '1.50.0-a', done: 2 }), upgrade({ done: 4 })])).toEqual([]);
});
