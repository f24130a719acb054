import { DEFINITION_NAME, DEFINITIONS } from '@fairway/addons/node-pools/definition';
import { SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterScenario } from '../testing/in-cluster-scenario.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

describe('the CustomResourceDefinition', () => {
  test('is recreated with all pools after its deletion, which does not delete any pool', async () => {
    await using scenario = await InClusterScenario.begin();
    const [before, machines] = [await scenario.outer(), await scenario.fairway.machines()];

    await scenario.tenant.resource(DEFINITIONS).delete(DEFINITION_NAME);
    await scenario.settle(3 * MINUTE_S);

    expect(await scenario.observe()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 1, outer: 1 });
    expect((await scenario.outer())?.metadata).toMatchObject({
      uid: before?.metadata.uid,
      generation: before?.metadata.generation,
    });
    expect((await scenario.fairway.machines()).map(({ metadata }) => metadata.uid)).toEqual(
      machines.map(({ metadata }) => metadata.uid),
    );
    expect(scenario.outerWrites()).toEqual([]);
  });

  test('is repaired if a field is removed from it, which does not change any pool', async () => {
    await using scenario = await InClusterScenario.begin();
    const definitions = scenario.tenant.resource(DEFINITIONS);
    const live = await definitions.get(DEFINITION_NAME);
    const [version] = structuredClone(live.spec.versions);
    const spec = version?.schema?.openAPIV3Schema?.properties?.['spec']?.properties ?? {};
    delete (spec as Record<string, unknown>)['upgradeStrategy'];

    await definitions.update({ ...live, spec: { ...live.spec, versions: version ? [version] : [] } });
    await scenario.settle(3 * MINUTE_S);

    const repaired = await definitions.get(DEFINITION_NAME);
    expect(repaired.spec.versions[0]?.schema).toEqual(live.spec.versions[0]?.schema);
    expect(scenario.outerWrites()).toEqual([]);
    expect((await scenario.inner())?.spec.upgradeStrategy).toEqual((await scenario.outer())?.spec.upgradeStrategy);
  });

  test('is not changed if it has a different owner, which is reported once', async () => {
    await using scenario = await InClusterScenario.begin();
    const definitions = scenario.tenant.resource(DEFINITIONS);
    const live = await definitions.get(DEFINITION_NAME);

    await definitions.update({ ...live, metadata: { ...live.metadata, labels: {} } });
    scenario.forgetRequests();
    await scenario.settle(2 * HOUR_S);

    expect((await definitions.get(DEFINITION_NAME)).metadata.labels ?? {}).toEqual({});
    expect(scenario.innerWrites()).toEqual([]);
    const { items } = await scenario.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.filter(({ reason }) => reason === 'InClusterNodePools')).toMatchObject([{ count: 1 }]);
  });

  test('is recreated less and less often if it is repeatedly deleted', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.forgetRequests();

    for (let times = 0; times < 360; times++) {
      const definitions = scenario.tenant.resource(DEFINITIONS);
      if (await undefinedIfNotFound(definitions.get(DEFINITION_NAME))) await definitions.delete(DEFINITION_NAME);
      await scenario.settle(10);
    }

    const creations = scenario.innerWrites().filter((each) => each.startsWith('POST') && each.endsWith('definitions'));
    expect(creations.length).toBeGreaterThan(4);
    expect(creations.length).toBeLessThanOrEqual(12);
    expect(await scenario.outer()).toBeDefined();
    expect(scenario.outerWrites()).toEqual([]);
  });
});

describe('a tenant', () => {
  test('can create more pools than Fairway reads at ten requests a minute, while existing pools work', async () => {
    await using scenario = await InClusterScenario.begin();
    for (let index = 0; index < 120; index++)
      await scenario.make(`z${String(index).padStart(3, '0')}`, { flavor: 'none' });
    scenario.forgetRequests();

    await scenario.settle(5 * MINUTE_S);
    const requests = scenario.outerWrites().length;
    await scenario.fairway.patch(nodePools, 'general', {
      spec: { replicas: 2 },
    });
    await scenario.settle(10 * MINUTE_S);

    expect(requests).toBeLessThanOrEqual(20 + 5 * 10 + 1);
    expect(await scenario.observe()).toMatchObject({ inner: 2, outer: 2 });
    const { items } = await scenario.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/more NodePools than Fairway reads/),
    );
  });

  test('can change a pool every second at ten requests a minute', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.forgetRequests();

    for (let second = 0; second < 2 * MINUTE_S; second++) {
      await scenario.change({ maxReplicas: 10 + (second % 50) });
      await scenario.settle(1);
    }

    expect(scenario.outerWrites().length).toBeLessThanOrEqual(20 + 2 * 10 + 1);
    expect(scenario.innerWrites().length).toBeLessThanOrEqual(200 + 2 * 120);
  });

  test('changes nothing by forging tags, status and owners', async () => {
    await using scenario = await InClusterScenario.begin();
    const pools = scenario.tenant.resource(inClusterNodePools);
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'none' };

    for (const mark of ['', 'x'.repeat(100_000), `${'0'.repeat(36)}/1/${'0'.repeat(16)}/-`]) {
      const metadata = { annotations: { [SYNCED_STATE_ANNOTATION]: mark }, ownerReferences: [owner] };
      await pools.patch('general', { type: 'merge', value: { metadata } });
      await pools.patch(
        'general',
        { type: 'merge', value: { status: { replicas: 999, shown: mark.slice(0, 200), phase: 'Failed' } } },
        { subresource: 'status' },
      );
      await scenario.settle(MINUTE_S);
    }

    expect(await scenario.observe()).toMatchObject({ inner: 1, outer: 1 });
    expect((await scenario.inner())?.status).toMatchObject({ replicas: 1, phase: 'Ready' });
    expect(scenario.outerWrites()).toEqual([]);
  });

  test('causes at most one read a second by forging tags that look newer and rejecting the corrections', async () => {
    await using scenario = await InClusterScenario.begin();
    const { outer } = { outer: await scenario.outer() };
    const pools = scenario.tenant.resource(inClusterNodePools);
    let observations = 0;
    scenario.fault = ({ method, path }) => {
      if (method === 'GET' && path.endsWith('/nodepools/general')) observations++;
      return undefined;
    };
    scenario.tenantFault = ({ method, path }) =>
      method !== 'GET' && path.includes('nodepools') ? { kind: 'answer', status: 403 } : undefined;

    for (let second = 0; second < 8 * MINUTE_S; second++) {
      const mark = `${outer?.metadata.uid}/${900_000 + second}/${'0'.repeat(16)}/-`;
      const value = { metadata: { annotations: { [SYNCED_STATE_ANNOTATION]: mark } } };
      await pools.patch('general', { type: 'merge', value });
      await scenario.settle(0.4);
      await pools.patch('general', { type: 'merge', value: { metadata: { labels: { a: String(second) } } } });
      await scenario.settle(0.6);
    }

    expect(observations).toBeGreaterThan(100);
    expect(observations).toBeLessThanOrEqual(200 + 8 * 60);
  });

  test('causes few calls an hour if its API rejects Fairway’s writes', async () => {
    await using scenario = await InClusterScenario.begin();
    await scenario.fairway.patch(nodePools, 'general', {
      spec: { maxReplicas: 7 },
    });
    scenario.tenantFault = ({ method, path }) =>
      method !== 'GET' && path.includes('nodepools') ? { kind: 'answer', status: 403 } : undefined;
    scenario.forgetRequests();

    await scenario.settle(HOUR_S);

    expect(scenario.innerWrites().length).toBeGreaterThan(0);
    expect(scenario.innerWrites().length).toBeLessThanOrEqual(10);
  });

  test('causes few calls an hour if its API does not respond', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.tenantFault = ({ path }) => (path.includes('nodepools') ? { kind: 'breaksBefore' } : undefined);
    await scenario.fairway.patch(nodePools, 'general', {
      spec: { maxReplicas: 7 },
    });
    scenario.forgetRequests();

    await scenario.settle(HOUR_S);

    const calls = scenario.innerCalls().filter((each) => !each.includes('watch'));
    expect(calls.length).toBeLessThanOrEqual(400);
    expect(scenario.innerWrites().length).toBeLessThanOrEqual(30);
  });
});

test('can read the pools if they may only edit workloads', async () => {
  await using scenario = await InClusterScenario.begin();

  const roles = await Promise.all(
    ['view', 'admin'].map((name) => scenario.tenant.resource(ClusterRoles).get(`fairway:node-pools:${name}`)),
  );

  expect(
    roles.map(({ metadata }) =>
      Object.keys(metadata.labels ?? {}).find((labelValue) => labelValue.includes('aggregate')),
    ),
  ).toEqual(['rbac.authorization.k8s.io/aggregate-to-view', 'rbac.authorization.k8s.io/aggregate-to-admin']);
});
