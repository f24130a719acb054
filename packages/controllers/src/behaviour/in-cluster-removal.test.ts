import { DEFINITION_NAME, DEFINITIONS } from '@fairway/addons/node-pools/definition';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterStory } from '../testing/in-cluster-story.ts';
import { TEAM } from '../testing/test-fairway.ts';

const definitionIn = (story: InClusterStory) =>
  undefinedIfNotFound(story.tenant.resource(DEFINITIONS).get(DEFINITION_NAME));

async function allow(story: InClusterStory, allowInCluster: boolean): Promise<void> {
  const value = { spec: { nodePools: { allowInCluster } } };
  await story.fairway.client.resource(plans).patch('free', { type: 'merge', value });
}

describe('the definition is removed', () => {
  test('a plan that allows none takes the kind away, and leaves the pools', async () => {
    await using story = await InClusterStory.begin();

    await allow(story, false);
    await story.settle(60);

    expect(await definitionIn(story)).toBeUndefined();
    expect(
      await undefinedIfNotFound(story.tenant.resource(ClusterRoles).get('fairway:node-pools:admin')),
    ).toBeUndefined();
    expect((await story.outer())?.metadata.deletionTimestamp).toBeUndefined();
    expect(await story.fairway.machines()).toHaveLength(1);
    const { items } = await story.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ reason }) => reason)).toContain('InClusterNodePoolsTakenAway');
  });

  test('and restored, with the current pools', async () => {
    await using story = await InClusterStory.begin();
    await allow(story, false);
    await story.settle(60);

    await allow(story, true);
    await story.settle(120);

    expect(await story.look()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 1, outer: 1 });
  });

  test('and costs nothing afterwards', async () => {
    await using story = await InClusterStory.begin();
    await allow(story, false);
    await story.settle(60);

    story.forgetRequests();
    await story.settle(3_000);

    expect(story.innerWrites()).toEqual([]);
    expect(story.innerCalls().filter((each) => !each.includes('customresourcedefinitions'))).toEqual([]);
  });
});

test('an API that deletes nothing, though it reports so, costs a few calls a minute', async () => {
  await using story = await InClusterStory.begin();
  // Like a webhook that changes what is written.
  story.tenantFault = ({ method, path }) =>
    method === 'PATCH' && path.includes('nodepools') ? { kind: 'answer', status: 409 } : undefined;
  await allow(story, false);
  await story.settle(60);
  story.forgetRequests();

  await story.settle(1_800);

  expect(story.innerCalls().length).toBeGreaterThan(0);
  expect(story.innerCalls().length).toBeLessThanOrEqual(200);
});

test('a cluster that hibernates keeps its in-cluster pools', async () => {
  await using story = await InClusterStory.begin();
  await story.fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
  await story.settle(600);
  story.forgetRequests();
  await story.settle(600);
  const asleep = story.innerCalls();

  await story.fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });
  await story.settle(900);

  expect(asleep).toEqual([]);
  expect(await story.look()).toMatchObject({ inner: 1, outer: 1 });
});
