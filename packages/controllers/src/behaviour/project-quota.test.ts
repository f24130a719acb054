import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type ProjectQuotaSpec, projectQuotas } from '@fairway/api/kinds/project-quota';
import { describe, expect, test } from 'vitest';
import { AutoscalingScenario } from '../testing/autoscaling-scenario.ts';
import { serverHistory } from '../testing/cloud-contents.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;

/** Sets the project's quota. Here, admission validates every write against the state before all of them. */
async function limit(fairway: TestFairway, spec: ProjectQuotaSpec): Promise<void> {
  await fairway.create(projectQuotas, { metadata: { name: 'project', namespace: TEAM }, spec });
}

function held(object: Cluster | NodePool | undefined): string | undefined {
  const ready = object?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.reason === 'ProjectQuotaExceeded' ? ready.message.replace(/; since \S+Z$/, '') : undefined;
}

async function createTwoClusters(fairway: TestFairway): Promise<void> {
  await fairway.createCluster();
  await fairway.createCluster({}, 'other');
  await fairway.until(clusters, (all) => all.length === 2 && all.every(isReady));
}

describe('the quota of a project', () => {
  test.each([
    { limit: 'nodes', spec: { nodes: 3 }, words: 'the project\'s quota is 3 nodes (ProjectQuota "project")' },
    { limit: 'cores', spec: { cores: 6 }, words: 'the project\'s quota is 6 cores (ProjectQuota "project")' },
  ])('pools of all clusters share $limit, the oldest first', async ({ spec, words }) => {
    await using fairway = await TestFairway.start();
    await createTwoClusters(fairway);
    await limit(fairway, spec);
    await fairway.createPool({ replicas: 2 }, 'first');
    await fairway.poolReady('first');

    await fairway.createPool({ replicas: 2, clusterName: 'other' }, 'second');
    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
    const [second] = await fairway.until(nodePools, ([pool]) => held(pool) !== undefined, 'second');
    const before = serverHistory(fairway.cloud).length;
    await fairway.patch(nodePools, 'first', { spec: { replicas: 1 } });
    await fairway.poolReady('second');

    expect(held(second)).toBe(
      `spec.replicas: 2: ${words}, and the pools of the namespace request more: this pool gets 1, because older pools take precedence; scale down pools, or ask the operator for a larger quota`,
    );
    expect(before).toBe(3);
    expect((await fairway.machines()).length).toBe(3);
  });

  test('is not exceeded by concurrent pools of two clusters, and deletes no node when it is lowered', async () => {
    await using fairway = await TestFairway.start();
    await createTwoClusters(fairway);
    await limit(fairway, { nodes: 4 });

    const pools = ['a', 'b', 'c', 'd'].map((name, index) =>
      fairway.createPool({ replicas: 2, clusterName: index % 2 === 0 ? 'demo' : 'other' }, name),
    );
    await Promise.all(pools);
    await fairway.until(nodePools, (all) => all.filter(isReady).length === 2 && all.filter(held).length === 2);
    const serverCount = serverHistory(fairway.cloud).length;
    await fairway.patch(projectQuotas, 'project', { spec: { nodes: 1 } });
    await fairway.until(projectQuotas, ([quota]) => quota?.status?.nodes === '8/1');

    expect(serverCount).toBe(4);
    expect((await fairway.machines()).filter(isReady)).toHaveLength(4);
    await fairway.patch(projectQuotas, 'project', { spec: { nodes: 8 } });
    await fairway.until(nodePools, (all) => all.every(isReady));
  });

  test('admits the clusters that claim it first if several are created at once', async () => {
    await using fairway = await TestFairway.start();
    await limit(fairway, { clusters: 2 });
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => fairway.createCluster({}, name)));
    const settled = await fairway.until(
      clusters,
      (all) => all.filter(isReady).length === 2 && all.filter(held).length === 2,
    );

    expect(held(settled.find((each) => !isReady(each)))).toBe(
      'the project\'s quota is 2 clusters (ProjectQuota "project"), and the namespace already has 2 clusters: delete one, or ask the operator for a larger quota',
    );
    await fairway.patch(projectQuotas, 'project', { spec: { clusters: 3 } });
    await fairway.until(clusters, (all) => all.filter(isReady).length === 3);
  });

  test('is returned with its usage, and written only when that changes', async () => {
    await using fairway = await TestFairway.start();
    await limit(fairway, { clusters: 2, cores: 8 });
    await fairway.readyCluster({ replicas: 2 });

    const [quota] = await fairway.until(projectQuotas, ([each]) => each?.status?.cores === '4/8');
    expect(quota?.status).toMatchObject({
      clusters: '1/2',
      nodes: '2/unlimited',
      used: { clusters: 1, nodes: 2, cores: 4 },
    });
  });
});

describe('an autoscaler', () => {
  test.each([
    { limit: 'nodes', spec: { nodes: 1 }, words: 'the project\'s quota is 1 node (ProjectQuota "project")' },
    { limit: 'cores', spec: { cores: 3 }, words: 'the project\'s quota is 3 cores (ProjectQuota "project")' },
  ])(
    'requests at most the remaining $limit, reports that, and resumes when more become available',
    async ({ spec, words }) => {
      await using scenario = await AutoscalingScenario.begin();
      const { clock, fairway } = scenario;
      await clock.during(limit(fairway, spec));
      await scenario.pool({ maxReplicas: 5 });
      await scenario.pending(['a', 'b', 'c'], '900m');
      await clock.pass(MINUTE_MS);
      const first = await scenario.nodes();
      const { calls } = fairway.cloud;
      const before = calls.total;
      await clock.pass(30 * MINUTE_MS);
      const [pool] = (await fairway.client.resource(nodePools).list({ namespace: TEAM })).items;

      expect(first).toHaveLength(1);
      expect(pool?.status?.autoscaling).toMatchObject({
        replicas: 1,
        hindrance: {
          reason: 'ProjectQuotaExceeded',
          message: expect.stringContaining(`${words}: scale down other pools`),
        },
      });
      // The project's usual lists, and no wasted server.
      expect(calls.total - before).toBeLessThan(60);
      expect(serverHistory(fairway.cloud)).toHaveLength(1);
      await clock.during(fairway.patch(projectQuotas, 'project', { spec: { nodes: 5, cores: 10 } }));
      await clock.pass(MINUTE_MS);
      expect(await scenario.nodes()).toHaveLength(2);
    },
  );
});
