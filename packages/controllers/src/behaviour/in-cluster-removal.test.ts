import { DEFINITION_NAME, DEFINITIONS } from '@fairway/addons/node-pools/definition';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterScenario } from '../testing/in-cluster-scenario.ts';
import { TEAM } from '../testing/test-fairway.ts';

const definitionIn = (scenario: InClusterScenario) =>
  undefinedIfNotFound(scenario.tenant.resource(DEFINITIONS).get(DEFINITION_NAME));

async function setAllowInCluster(scenario: InClusterScenario, allowInCluster: boolean): Promise<void> {
  const value = { spec: { nodePools: { allowInCluster } } };
  await scenario.fairway.client.resource(plans).patch('free', { type: 'merge', value });
}

describe('the CustomResourceDefinition', () => {
  test('is removed if the plan forbids in-cluster pools, while the pools remain', async () => {
    await using scenario = await InClusterScenario.begin();

    await setAllowInCluster(scenario, false);
    await scenario.settle(60);

    expect(await definitionIn(scenario)).toBeUndefined();
    expect(
      await undefinedIfNotFound(scenario.tenant.resource(ClusterRoles).get('fairway:node-pools:admin')),
    ).toBeUndefined();
    expect((await scenario.outer())?.metadata.deletionTimestamp).toBeUndefined();
    expect(await scenario.fairway.machines()).toHaveLength(1);
    const { items } = await scenario.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ reason }) => reason)).toContain('InClusterNodePoolsTakenAway');
  });

  test('is restored with the current pools', async () => {
    await using scenario = await InClusterScenario.begin();
    await setAllowInCluster(scenario, false);
    await scenario.settle(60);

    await setAllowInCluster(scenario, true);
    await scenario.settle(120);

    expect(await scenario.observe()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 1, outer: 1 });
  });

  test('costs nothing after its removal', async () => {
    await using scenario = await InClusterScenario.begin();
    await setAllowInCluster(scenario, false);
    await scenario.settle(60);

    scenario.forgetRequests();
    await scenario.settle(3_000);

    expect(scenario.innerWrites()).toEqual([]);
    expect(scenario.innerCalls().filter((each) => !each.includes('customresourcedefinitions'))).toEqual([]);
  });
});

test('costs a few calls a minute if the API reports success but never deletes it', async () => {
  await using scenario = await InClusterScenario.begin();
  // Like a webhook that changes what is written.
  scenario.tenantFault = ({ method, path }) =>
    method === 'PATCH' && path.includes('nodepools') ? { kind: 'answer', status: 409 } : undefined;
  await setAllowInCluster(scenario, false);
  await scenario.settle(60);
  scenario.forgetRequests();

  await scenario.settle(1_800);

  expect(scenario.innerCalls().length).toBeGreaterThan(0);
  expect(scenario.innerCalls().length).toBeLessThanOrEqual(200);
});

test('remains while the cluster is hibernated', async () => {
  await using scenario = await InClusterScenario.begin();
  await scenario.fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
  await scenario.settle(600);
  scenario.forgetRequests();
  await scenario.settle(600);
  const asleep = scenario.innerCalls();

  await scenario.fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });
  await scenario.settle(900);

  expect(asleep).toEqual([]);
  expect(await scenario.observe()).toMatchObject({ inner: 1, outer: 1 });
});
