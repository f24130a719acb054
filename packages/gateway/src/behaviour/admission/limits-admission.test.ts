import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const PATH = `/apis/${API_VERSION}/namespaces/${TEAM}`;

describe.each(FORMS)('limits of a plan, at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
  });
  afterAll(() => gateway.close());

  test('refuse a cluster with existing pools if its plan allows fewer nodes', async () => {
    await gateway.createPool('early', { clusterName: 'late', replicas: 999, maxReplicas: 999 });
    const refused = await refusal(gateway.createCluster('late', { plan: 'free' }));

    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(refused.message).toContain('node pools of the cluster have 999 (early: 999)');

    const scale = { spec: { replicas: 3 } };
    await gateway.call('alice', 'PATCH', `${PATH}/nodepools/early/scale`, scale);
    await expect(gateway.createCluster('late', { plan: 'free' })).resolves.toMatchObject({ spec: { plan: 'free' } });
  });

  test('refuse a cluster without a router if its pools request floating IPs', async () => {
    await gateway.createPool('public', { clusterName: 'inner', floatingIPs: { enabled: true } });
    const refused = await refusal(gateway.createCluster('inner', { network: { gateway: { mode: 'None' } } }));

    expect(refused.causes.map(({ field }) => field)).toContain('spec.network.gateway.mode');
  });
});

describe('limits of a plan, at the embedded gateway under concurrency', () => {
  let gateway: TestGateway;
  let maxNodes: number;
  beforeAll(async () => {
    gateway = await TestGateway.start('embedded');
    await gateway.populate();
    await gateway.createCluster('big');
    const bigPool = await gateway.as('alice').resource(clusters).get('big', { namespace: TEAM });
    maxNodes = (await planNamed(bigPool.spec.plan)).spec.maxNodes;
  });
  afterAll(() => gateway.close());

  function planNamed(name: string) {
    return gateway.as('operator').resource(plans).get(name);
  }

  async function nodesOf(clusterName: string): Promise<number> {
    const { items } = await gateway.as('alice').resource(nodePools).list({ namespace: TEAM });
    return items
      .filter(({ spec }) => spec.clusterName === clusterName)
      .reduce((sum, { spec }) => sum + spec.replicas, 0);
  }

  test('apply to the total number of nodes in pools that are created concurrently', async () => {
    const share = Math.floor(maxNodes / 2);
    const creations = Array.from({ length: 8 }, (_, index) =>
      gateway.createPool(`at-once-${index}`, { clusterName: 'big', replicas: share }),
    );
    const outcomes = await Promise.allSettled(creations);

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await nodesOf('big')).toBe(2 * share);
  });

  test('apply to the total number of nodes in pools that are scaled concurrently', async () => {
    await gateway.createCluster('scaled');
    const names = Array.from({ length: 5 }, (_, index) => `scaled-${index}`);
    for (const name of names) await gateway.createPool(name, { clusterName: 'scaled', replicas: 1 });
    const replicas = Math.floor(maxNodes / 3);
    await Promise.all(
      names.map((name) => gateway.call('alice', 'PATCH', `${PATH}/nodepools/${name}/scale`, { spec: { replicas } })),
    );

    expect(await nodesOf('scaled')).toBeLessThanOrEqual(maxNodes);
    expect(await nodesOf('scaled')).toBeGreaterThan(maxNodes - replicas);
  });

  test("include the namespace’s quota for Fairway's kinds", async () => {
    const quota = {
      metadata: { name: 'quota', namespace: TEAM },
      spec: { hard: { 'count/nodepools.fairway.dev': '99' } },
    };
    const { items } = await gateway.as('alice').resource(nodePools).list({ namespace: TEAM });
    quota.spec.hard['count/nodepools.fairway.dev'] = String(items.length + 2);
    await gateway.as('operator').resource(ResourceQuotas).create(quota);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        gateway.createPool(`counted-${index}`, { clusterName: 'later', replicas: 0 }),
      ),
    );
    await gateway.as('operator').resource(ResourceQuotas).delete('quota', { namespace: TEAM });

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 403,
        message: expect.stringContaining('exceeded quota: quota, requested: count/nodepools.fairway.dev=1'),
      },
    });
  });

  test('apply to clusters that are created concurrently', async () => {
    const { items } = await gateway.as('operator').resource(clusters).list({ namespace: TEAM });
    const maxClusters = items.filter(({ spec }) => spec.plan === 'free').length + 2;
    await gateway
      .as('operator')
      .resource(plans)
      .patch('free', { type: 'merge', value: { spec: { maxClusters } } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => gateway.createCluster(`crowd-${index}`, { plan: 'free' })),
    );
    await gateway
      .as('operator')
      .resource(plans)
      .patch('free', { type: 'merge', value: { spec: { maxClusters: null } } });

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  test('apply to a cluster and its pools, in any order', async () => {
    const both = await Promise.allSettled([
      gateway.createCluster('racing', { plan: 'free' }),
      gateway.createPool('racing', { clusterName: 'racing', replicas: 999, maxReplicas: 999 }),
    ]);

    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
