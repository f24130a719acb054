import { RETRY_ANNOTATION } from '@fairway/api/group';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { expect, test } from 'vitest';
import { serverHistory } from '../testing/cloud-contents.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const SECOND_MS = 1_000;

test('a node limit is enforced even if the cache of machines stays empty and the newer pool comes first by name', async () => {
  const clock = new SteppingClock();
  const isWatchOfMachines = (path: string) => /\/machines\?/.test(path) && path.includes('watch=');
  await using fairway = await TestFairway.start({
    clock,
    apiFaults: ({ path }) => (isWatchOfMachines(path) ? { kind: 'answer', status: 503 } : undefined),
  });
  await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes: 3 } } });
  await fairway.createCluster();
  await clock.during(fairway.clusterReady());
  await clock.pass(SECOND_MS);

  const b = await fairway.createPool({ replicas: 3 }, 'b');
  await clock.pass(10);
  const a = await fairway.createPool({ replicas: 3 }, 'a');
  for (let i = 0; i < 5; i++) {
    await clock.pass(10 * SECOND_MS);
    for (const name of ['a', 'b']) {
      await fairway.patch(nodePools, name, { metadata: { annotations: { [RETRY_ANNOTATION]: `${i}` } } });
    }
  }

  expect(a.metadata.creationTimestamp).toBe(b.metadata.creationTimestamp);
  expect((await fairway.machines()).map(({ spec }) => spec.nodePoolName)).toEqual(['b', 'b', 'b']);
  expect(serverHistory(fairway.cloud).length).toBeLessThanOrEqual(3);
});
