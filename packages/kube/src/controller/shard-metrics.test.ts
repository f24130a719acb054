import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addShardMetrics } from './shard-metrics.ts';

test('metrics are computed when they are scraped', async () => {
  const registry = new Registry();
  const member = { counts: { shards: 64, held: 0, lapses: 0 } };
  addShardMetrics(registry, member);
  await registry.metrics();
  member.counts = { shards: 64, held: 21, lapses: 2 };
  await registry.metrics();

  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  expect(lines).toEqual(
    expect.arrayContaining(['fairway_shards 64', 'fairway_shards_held 21', 'fairway_shard_lease_lapses_total 2']),
  );
});
