import { clusters } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { TestFairway } from '../testing/test-fairway.ts';

test('a cluster with a pool of three becomes Ready, and goes without a trace', async () => {
  await using fairway = await TestFairway.start();
  const cluster = await fairway.readyCluster({ replicas: 3 });
  expect(cluster.status).toMatchObject({ phase: 'Ready', nodes: { desired: 3, ready: 3 } });
  await fairway.delete(clusters, 'demo');
  await fairway.until(clusters, (left) => left.length === 0);
});
