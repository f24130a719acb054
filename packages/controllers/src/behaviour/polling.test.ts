import { clusters } from '@fairway/api/kinds/cluster';
import { afterEach, expect, test } from 'vitest';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';
import { TestOwner } from '../testing/test-owner.ts';

const OBSERVE_MS = 1_000;

let fairway: TestFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

/** Calls that the cloud receives in twenty rounds, not counting any already in progress. */
async function callsOfTwentyPolls(): Promise<number> {
  await fairway.clock.sleep(20 * OBSERVE_MS);
  const before = fairway.cloud.calls.total;
  await fairway.clock.sleep(20 * OBSERVE_MS);
  return fairway.cloud.calls.total - before;
}

test.each([
  { who: 'all clusters belong to this process', owned: false },
  { who: 'replicas share the clusters', owned: true },
])('a project is polled only while it has a cluster, if $who', async ({ owned }) => {
  const owner = owned ? new TestOwner() : undefined;
  for (const name of ['demo', 'other']) owner?.take(`${TEAM}/${name}`, { isInherited: false });
  fairway = await TestFairway.start({ observeMs: OBSERVE_MS, ...(owner && { owner }) });
  await fairway.readyCluster({ replicas: 1 });
  await fairway.createCluster({}, 'other');
  await fairway.clusterReady('other');

  await fairway.delete(clusters, 'other');
  await fairway.until(clusters, ([cluster]) => cluster === undefined, 'other');
  expect(await callsOfTwentyPolls()).toBeGreaterThan(0);

  await fairway.delete(clusters, 'demo');
  await fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo');
  expect(await callsOfTwentyPolls()).toBe(0);
});
