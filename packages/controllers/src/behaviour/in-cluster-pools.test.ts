import { inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { InClusterScenario } from '../testing/in-cluster-scenario.ts';
import { TEAM } from '../testing/test-fairway.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const REFUSED_WRITES: ChooseApiFault = ({ method, headers }) => {
  if (method === 'GET' || headers?.['impersonate-user'] === undefined) return undefined;
  const message = 'NodePool.fairway.dev "general" is invalid: spec.replicas: Invalid value: 50: must be at most 5';
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message });
  return { kind: 'answer', status: 403, body };
};

describe('a cluster shows its pools', () => {
  test('including their spec and status', async () => {
    await using scenario = await InClusterScenario.begin();

    const inner = await scenario.inner();

    const { clusterName: _clusterName, ...spec } = (await scenario.outer())?.spec ?? {};
    expect(inner?.spec).toEqual(spec);
    expect(inner?.status).toMatchObject({ replicas: 1, readyReplicas: 1, availableReplicas: 1, phase: 'Ready' });
    expect(inner?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Accepted', status: 'True' },
    ]);
  });

  test('including changes made outside the cluster, and excluding pools deleted outside', async () => {
    await using scenario = await InClusterScenario.begin();

    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    await scenario.settle(240);
    const grownPool = await scenario.inner();
    await scenario.fairway.delete(nodePools, 'general');
    await scenario.settle(120);

    expect(grownPool).toMatchObject({ spec: { replicas: 2 }, status: { readyReplicas: 2 } });
    expect(await scenario.inner()).toBeUndefined();
    expect(await scenario.outer()).toBeUndefined();
  });

  test('without any writes while nothing happens', async () => {
    await using scenario = await InClusterScenario.begin();

    scenario.forgetRequests();
    await scenario.settle(3_000);

    expect(scenario.innerWrites()).toEqual([]);
    expect(scenario.outerWrites()).toEqual([]);
  });
});

describe('a user in the cluster', () => {
  test('scales a pool with the scale subresource', async () => {
    await using scenario = await InClusterScenario.begin();

    await scenario.change({ replicas: 2 });
    await scenario.settle();

    expect(await scenario.observe()).toEqual({ accepted: 'True', reason: 'Accepted', inner: 2, outer: 2 });
    expect(scenario.outerWrites()).toEqual(['PATCH /apis/fairway.dev/v1alpha1/namespaces/team/nodepools/general']);
    expect(await scenario.eventMessages()).toEqual([
      'Accepted: updated from the NodePool in the cluster: replicas 1 → 2',
    ]);
    const { items } = await scenario.fairway.client.resource(Events).list({ namespace: TEAM });
    expect(items.map(({ reason }) => reason)).toContain('ChangedInCluster');
  });

  test('creates and deletes a pool', async () => {
    await using scenario = await InClusterScenario.begin();

    await scenario.make('extra', { replicas: 1 });
    await scenario.settle(180);
    const [createdPool, machines] = [await scenario.inner('extra'), await scenario.fairway.machines()];
    await scenario.tenant.resource(inClusterNodePools).delete('extra');
    await scenario.settle(180);

    expect(createdPool?.status).toMatchObject({ readyReplicas: 1 });
    expect(machines).toHaveLength(2);
    expect([await scenario.inner('extra'), await scenario.outer('extra')]).toEqual([undefined, undefined]);
    expect(await scenario.observe()).toMatchObject({ inner: 1, outer: 1 });
  });

  test('makes a forbidden change: it is reverted, with the message from admission', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.fault = REFUSED_WRITES;

    await scenario.change({ replicas: 50 });
    await scenario.settle();

    expect(await scenario.observe()).toEqual({ accepted: 'False', reason: 'Invalid', inner: 1, outer: 1 });
    expect(await scenario.eventMessages()).toEqual([expect.stringMatching(/^Invalid: .*must be at most 5$/)]);
    expect(scenario.outerWrites()).toHaveLength(1);
  });

  test('creates a forbidden pool: it is kept, validated again every ten minutes, and created once allowed', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.fault = REFUSED_WRITES;

    await scenario.make('extra');
    await scenario.settle(1_500);
    const [refused, tries] = [await scenario.observe('extra'), scenario.outerWrites().length];
    scenario.fault = undefined;
    await scenario.settle(700);

    expect(refused).toEqual({ accepted: 'False', reason: 'Invalid', inner: 0, outer: undefined });
    expect(tries).toBe(3);
    expect(await scenario.eventMessages()).toContainEqual(expect.stringMatching(/^Invalid: /));
    expect(await scenario.observe('extra')).toMatchObject({ accepted: 'True', outer: 0 });
  });

  test('deletes a refused pool, which is then never created', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.fault = REFUSED_WRITES;
    await scenario.make('extra');
    await scenario.settle();

    await scenario.tenant.resource(inClusterNodePools).delete('extra');
    await scenario.settle();

    expect([await scenario.inner('extra'), await scenario.outer('extra')]).toEqual([undefined, undefined]);
  });

  test('requests a change to a field that was changed outside in the meantime: the value set outside is kept, and the user sees a message', async () => {
    await using scenario = await InClusterScenario.begin();
    const brokenApi: ChooseApiFault = () => ({ kind: 'breaksBefore' });
    scenario.tenantFault = brokenApi;

    await scenario.settle(60);
    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await scenario.change({ replicas: 2 });
    await scenario.settle(60);
    scenario.tenantFault = undefined;
    await scenario.settle(400);

    expect(await scenario.observe()).toEqual({ accepted: 'False', reason: 'ChangedElsewhere', inner: 3, outer: 3 });
    expect(scenario.outerWrites()).toEqual([]);
    expect(await scenario.eventMessages()).toEqual([
      expect.stringMatching(/so this change is rejected: replicas 3 → 2; review the pool/),
    ]);
  });

  test('deletes a pool that was changed outside in the meantime: the object is recreated', async () => {
    await using scenario = await InClusterScenario.begin();
    scenario.tenantFault = () => ({ kind: 'breaksBefore' });

    await scenario.settle(60);
    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await scenario.tenant.resource(inClusterNodePools).delete('general');
    await scenario.settle(60);
    scenario.tenantFault = undefined;
    await scenario.settle(400);

    expect(await scenario.observe()).toEqual({ accepted: 'True', reason: 'AsExpected', inner: 3, outer: 3 });
    expect(await scenario.eventMessages()).toEqual([expect.stringMatching(/^ChangedElsewhere: /)]);
  });

  test('uses the name of another cluster’s pool: the message reveals only that it is taken', async () => {
    await using scenario = await InClusterScenario.begin();
    await scenario.fairway.createPool({ clusterName: 'other', replicas: 0, flavor: 'b3-16' }, 'secret');
    await scenario.settle();

    await scenario.make('secret');
    await scenario.settle();

    expect(await scenario.observe('secret')).toMatchObject({ accepted: 'False', reason: 'NameTaken' });
    expect(await scenario.eventMessages()).toEqual([expect.stringMatching(/use another name, such as "demo-secret"/)]);
    expect((await scenario.outer('secret'))?.spec).toMatchObject({ clusterName: 'other', flavor: 'b3-16' });
    expect(await scenario.inner('other-pool')).toBeUndefined();
  });
});
