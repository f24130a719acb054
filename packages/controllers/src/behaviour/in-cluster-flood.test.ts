import { DEFINITION_NAME, DEFINITIONS } from '@fairway/addons/node-pools/definition';
import { SHOWN_ANNOTATION } from '@fairway/api/group';
import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { ClusterRoles, Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterStory } from '../testing/in-cluster-story.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

describe('the definition', () => {
  test('is recreated after its deletion, with all pools, and none has been deleted', async () => {
    await using story = await InClusterStory.begin();
    const [before, machines] = [await story.outer(), await story.fairway.machines()];

    await story.tenant.resource(DEFINITIONS).delete(DEFINITION_NAME);
    await story.settle(3 * MINUTE_S);

    expect(await story.look()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 1, outer: 1 });
    expect((await story.outer())?.metadata).toMatchObject({
      uid: before?.metadata.uid,
      generation: before?.metadata.generation,
    });
    expect((await story.fairway.machines()).map(({ metadata }) => metadata.uid)).toEqual(
      machines.map(({ metadata }) => metadata.uid),
    );
    expect(story.outerWrites()).toEqual([]);
  });

  test('is repaired when a field is removed from it, which changes no pool', async () => {
    await using story = await InClusterStory.begin();
    const definitions = story.tenant.resource(DEFINITIONS);
    const live = await definitions.get(DEFINITION_NAME);
    const [version] = structuredClone(live.spec.versions);
    const spec = version?.schema?.openAPIV3Schema?.properties?.['spec']?.properties ?? {};
    delete (spec as Record<string, unknown>)['upgradeStrategy'];

    await definitions.update({ ...live, spec: { ...live.spec, versions: version ? [version] : [] } });
    await story.settle(3 * MINUTE_S);

    const repaired = await definitions.get(DEFINITION_NAME);
    expect(repaired.spec.versions[0]?.schema).toEqual(live.spec.versions[0]?.schema);
    expect(story.outerWrites()).toEqual([]);
    expect((await story.inner())?.spec.upgradeStrategy).toEqual((await story.outer())?.spec.upgradeStrategy);
  });

  test('of another owner is left alone, and reported once', async () => {
    await using story = await InClusterStory.begin();
    const definitions = story.tenant.resource(DEFINITIONS);
    const live = await definitions.get(DEFINITION_NAME);

    await definitions.update({ ...live, metadata: { ...live.metadata, labels: {} } });
    story.forgetRequests();
    await story.settle(2 * HOUR_S);

    expect((await definitions.get(DEFINITION_NAME)).metadata.labels ?? {}).toEqual({});
    expect(story.innerWrites()).toEqual([]);
    const { items } = await story.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.filter(({ reason }) => reason === 'InClusterNodePools')).toMatchObject([{ count: 1 }]);
  });

  test('that is repeatedly deleted is recreated less and less often', async () => {
    await using story = await InClusterStory.begin();
    story.forgetRequests();

    for (let times = 0; times < 360; times++) {
      const definitions = story.tenant.resource(DEFINITIONS);
      if (await undefinedIfNotFound(definitions.get(DEFINITION_NAME))) await definitions.delete(DEFINITION_NAME);
      await story.settle(10);
    }

    const made = story.innerWrites().filter((each) => each.startsWith('POST') && each.endsWith('definitions'));
    expect(made.length).toBeGreaterThan(4);
    expect(made.length).toBeLessThanOrEqual(12);
    expect(await story.outer()).toBeDefined();
    expect(story.outerWrites()).toEqual([]);
  });
});

describe('a tenant who', () => {
  test('creates more pools than are read costs ten requests a minute, and existing pools work', async () => {
    await using story = await InClusterStory.begin();
    for (let index = 0; index < 120; index++)
      await story.make(`z${String(index).padStart(3, '0')}`, { flavor: 'none' });
    story.forgetRequests();

    await story.settle(5 * MINUTE_S);
    const requests = story.outerWrites().length;
    await story.fairway.patch(nodePools, 'general', {
      spec: { replicas: 2 },
    });
    await story.settle(10 * MINUTE_S);

    expect(requests).toBeLessThanOrEqual(20 + 5 * 10 + 1);
    expect(await story.look()).toMatchObject({ inner: 2, outer: 2 });
    const { items } = await story.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/more NodePools than Fairway reads/),
    );
  });

  test('changes a pool every second costs ten requests a minute', async () => {
    await using story = await InClusterStory.begin();
    story.forgetRequests();

    for (let second = 0; second < 2 * MINUTE_S; second++) {
      await story.change({ maxReplicas: 10 + (second % 50) });
      await story.settle(1);
    }

    expect(story.outerWrites().length).toBeLessThanOrEqual(20 + 2 * 10 + 1);
    expect(story.innerWrites().length).toBeLessThanOrEqual(200 + 2 * 120);
  });

  test('forges tags, status and owners changes nothing by it', async () => {
    await using story = await InClusterStory.begin();
    const pools = story.tenant.resource(inClusterNodePools);
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'none' };

    for (const mark of ['', 'x'.repeat(100_000), `${'0'.repeat(36)}/1/${'0'.repeat(16)}/-`]) {
      const metadata = { annotations: { [SHOWN_ANNOTATION]: mark }, ownerReferences: [owner] };
      await pools.patch('general', { type: 'merge', value: { metadata } });
      await pools.patch(
        'general',
        { type: 'merge', value: { status: { replicas: 999, shown: mark.slice(0, 200), phase: 'Failed' } } },
        { subresource: 'status' },
      );
      await story.settle(MINUTE_S);
    }

    expect(await story.look()).toMatchObject({ inner: 1, outer: 1 });
    expect((await story.inner())?.status).toMatchObject({ replicas: 1, phase: 'Ready' });
    expect(story.outerWrites()).toEqual([]);
  });

  test('forges tags that look newer than the pool, and refuses their correction, costs a read a second', async () => {
    await using story = await InClusterStory.begin();
    const { outer } = { outer: await story.outer() };
    const pools = story.tenant.resource(inClusterNodePools);
    let looks = 0;
    story.fault = ({ method, path }) => {
      if (method === 'GET' && path.endsWith('/nodepools/general')) looks++;
      return undefined;
    };
    story.tenantFault = ({ method, path }) =>
      method !== 'GET' && path.includes('nodepools') ? { kind: 'answer', status: 403 } : undefined;

    for (let second = 0; second < 8 * MINUTE_S; second++) {
      const mark = `${outer?.metadata.uid}/${900_000 + second}/${'0'.repeat(16)}/-`;
      const value = { metadata: { annotations: { [SHOWN_ANNOTATION]: mark } } };
      await pools.patch('general', { type: 'merge', value });
      await story.settle(0.4);
      await pools.patch('general', { type: 'merge', value: { metadata: { labels: { a: String(second) } } } });
      await story.settle(0.6);
    }

    expect(looks).toBeGreaterThan(100);
    expect(looks).toBeLessThanOrEqual(200 + 8 * 60);
  });

  test('has an API that refuses what Fairway writes costs a few calls an hour', async () => {
    await using story = await InClusterStory.begin();
    await story.fairway.patch(nodePools, 'general', {
      spec: { maxReplicas: 7 },
    });
    story.tenantFault = ({ method, path }) =>
      method !== 'GET' && path.includes('nodepools') ? { kind: 'answer', status: 403 } : undefined;
    story.forgetRequests();

    await story.settle(HOUR_S);

    expect(story.innerWrites().length).toBeGreaterThan(0);
    expect(story.innerWrites().length).toBeLessThanOrEqual(10);
  });

  test('has an API that does not respond costs a few calls an hour', async () => {
    await using story = await InClusterStory.begin();
    story.tenantFault = ({ path }) => (path.includes('nodepools') ? { kind: 'breaksBefore' } : undefined);
    await story.fairway.patch(nodePools, 'general', {
      spec: { maxReplicas: 7 },
    });
    story.forgetRequests();

    await story.settle(HOUR_S);

    const calls = story.innerCalls().filter((each) => !each.includes('watch'));
    expect(calls.length).toBeLessThanOrEqual(400);
    expect(story.innerWrites().length).toBeLessThanOrEqual(30);
  });
});

test('may only edit workloads of a cluster can read its pools', async () => {
  await using story = await InClusterStory.begin();

  const roles = await Promise.all(
    ['view', 'admin'].map((name) => story.tenant.resource(ClusterRoles).get(`fairway:node-pools:${name}`)),
  );

  expect(
    roles.map(({ metadata }) => Object.keys(metadata.labels ?? {}).find((label) => label.includes('aggregate'))),
  ).toEqual(['rbac.authorization.k8s.io/aggregate-to-view', 'rbac.authorization.k8s.io/aggregate-to-admin']);
});
