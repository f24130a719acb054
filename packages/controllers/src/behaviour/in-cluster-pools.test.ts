import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterStory } from '../testing/in-cluster-story.ts';
import { TEAM } from '../testing/test-fairway.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const REFUSED: ChooseApiFault = ({ method, headers }) => {
  if (method === 'GET' || headers?.['impersonate-user'] === undefined) return undefined;
  const message = 'NodePool.fairway.dev "general" is invalid: spec.replicas: Invalid value: 50: must be at most 5';
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message });
  return { kind: 'answer', status: 403, body };
};

describe('a cluster shows its pools', () => {
  test('with their spec and status', async () => {
    await using story = await InClusterStory.begin();

    const inner = await story.inner();

    const { clusterName: _clusterName, ...spec } = (await story.outer())?.spec ?? {};
    expect(inner?.spec).toEqual(spec);
    expect(inner?.status).toMatchObject({ replicas: 1, readyReplicas: 1, availableReplicas: 1, phase: 'Ready' });
    expect(inner?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Accepted', status: 'True' },
    ]);
  });

  test('with their changes outside, and without those deleted there', async () => {
    await using story = await InClusterStory.begin();

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    await story.settle(240);
    const grown = await story.inner();
    await story.fairway.delete(nodePools, 'general');
    await story.settle(120);

    expect(grown).toMatchObject({ spec: { replicas: 2 }, status: { readyReplicas: 2 } });
    expect(await story.inner()).toBeUndefined();
    expect(await story.outer()).toBeUndefined();
  });

  test('and nothing is written while nothing happens', async () => {
    await using story = await InClusterStory.begin();

    story.forgetRequests();
    await story.settle(3_000);

    expect(story.innerWrites()).toEqual([]);
    expect(story.outerWrites()).toEqual([]);
  });
});

describe('a user in the cluster', () => {
  test('scales a pool, under the name for that', async () => {
    await using story = await InClusterStory.begin();

    await story.change({ replicas: 2 });
    await story.settle();

    expect(await story.look()).toEqual({ accepted: 'True', reason: 'Accepted', inner: 2, outer: 2 });
    expect(story.outerWrites()).toEqual(['PATCH /apis/fairway.dev/v1alpha1/namespaces/team/nodepools/general']);
    expect(await story.told()).toEqual(['Accepted: updated from the NodePool in the cluster: replicas 1 → 2']);
    const { items } = await story.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ reason }) => reason)).toContain('ChangedInCluster');
  });

  test('creates one, and deletes it', async () => {
    await using story = await InClusterStory.begin();

    await story.make('extra', { replicas: 1 });
    await story.settle(180);
    const [made, machines] = [await story.inner('extra'), await story.fairway.machines()];
    await story.tenant.resource(inClusterNodePools).delete('extra');
    await story.settle(180);

    expect(made?.status).toMatchObject({ readyReplicas: 1 });
    expect(machines).toHaveLength(2);
    expect([await story.inner('extra'), await story.outer('extra')]).toEqual([undefined, undefined]);
    expect(await story.look()).toMatchObject({ inner: 1, outer: 1 });
  });

  test('makes a forbidden change: it is reverted, with the message of admission', async () => {
    await using story = await InClusterStory.begin();
    story.fault = REFUSED;

    await story.change({ replicas: 50 });
    await story.settle();

    expect(await story.look()).toEqual({ accepted: 'False', reason: 'Invalid', inner: 1, outer: 1 });
    expect(await story.told()).toEqual([expect.stringMatching(/^Invalid: .*must be at most 5$/)]);
    expect(story.outerWrites()).toHaveLength(1);
  });

  test('creates a forbidden pool: it is kept, validated again every ten minutes, and created once allowed', async () => {
    await using story = await InClusterStory.begin();
    story.fault = REFUSED;

    await story.make('extra');
    await story.settle(1_500);
    const [refused, tries] = [await story.look('extra'), story.outerWrites().length];
    story.fault = undefined;
    await story.settle(700);

    expect(refused).toEqual({ accepted: 'False', reason: 'Invalid', inner: 0, outer: undefined });
    expect(tries).toBe(3);
    expect(await story.told()).toContainEqual(expect.stringMatching(/^Invalid: /));
    expect(await story.look('extra')).toMatchObject({ accepted: 'True', outer: 0 });
  });

  test('withdraws what is refused, and no pool is created from it', async () => {
    await using story = await InClusterStory.begin();
    story.fault = REFUSED;
    await story.make('extra');
    await story.settle();

    await story.tenant.resource(inClusterNodePools).delete('extra');
    await story.settle();

    expect([await story.inner('extra'), await story.outer('extra')]).toEqual([undefined, undefined]);
  });

  test('requests what was changed outside meanwhile: the pool keeps that, and the user sees a message', async () => {
    await using story = await InClusterStory.begin();
    const isOut: ChooseApiFault = () => ({ kind: 'breaksBefore' });
    story.tenantFault = isOut;

    await story.settle(60);
    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await story.change({ replicas: 2 });
    await story.settle(60);
    story.tenantFault = undefined;
    await story.settle(400);

    expect(await story.look()).toEqual({ accepted: 'False', reason: 'ChangedElsewhere', inner: 3, outer: 3 });
    expect(story.outerWrites()).toEqual([]);
    expect(await story.told()).toEqual([
      expect.stringMatching(/so this change is rejected: replicas 3 → 2; review the pool/),
    ]);
  });

  test('deletes what was changed outside meanwhile: it is recreated', async () => {
    await using story = await InClusterStory.begin();
    story.tenantFault = () => ({ kind: 'breaksBefore' });

    await story.settle(60);
    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await story.tenant.resource(inClusterNodePools).delete('general');
    await story.settle(60);
    story.tenantFault = undefined;
    await story.settle(400);

    expect(await story.look()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 3, outer: 3 });
    expect(await story.told()).toEqual([expect.stringMatching(/^ChangedElsewhere: /)]);
  });

  test('uses the name of another cluster’s pool: the message says only that it is taken', async () => {
    await using story = await InClusterStory.begin();
    await story.fairway.createPool({ clusterName: 'other', replicas: 0, flavor: 'b3-16' }, 'secret');
    await story.settle();

    await story.make('secret');
    await story.settle();

    expect(await story.look('secret')).toMatchObject({ accepted: 'False', reason: 'NameTaken' });
    expect(await story.told()).toEqual([expect.stringMatching(/use another name, such as "demo-secret"/)]);
    expect((await story.outer('secret'))?.spec).toMatchObject({ clusterName: 'other', flavor: 'b3-16' });
    expect(await story.inner('other-pool')).toBeUndefined();
  });
});
