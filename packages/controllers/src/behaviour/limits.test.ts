import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { GarbageCollector } from '@fairway/apiserver/lifecycle/garbage-collector';
import { findCondition } from '@fairway/kube/controller/conditions';
import { describe, expect, test } from 'vitest';
import { resourceCounts, serverHistory } from '../testing/cloud-contents.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

/**
 * Here, admission validates every write against the state before all of them, as with a kube-apiserver whose webhooks
 * run in parallel.
 */
async function startWith(maxNodes: number): Promise<TestFairway> {
  const fairway = await TestFairway.start();
  await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes } } });
  return fairway;
}

function limitOf(pool: NodePool | undefined): string | undefined {
  const ready = pool?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.reason === 'PlanLimitExceeded' ? ready.message : undefined;
}

/** The name of the pool that takes precedence. */
function oldestOf(pools: readonly NodePool[]): string | undefined {
  const keys = pools.map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return keys.toSorted()[0]?.split(' ')[1];
}

/** Current machines, and all servers ever created. */
async function createdCounts(fairway: TestFairway) {
  return { machines: (await fairway.machines()).length, servers: serverHistory(fairway.cloud).length };
}

describe('a limit of nodes', () => {
  test('gives one of two concurrent pools its nodes, and the other one once the first is deleted', async () => {
    await using fairway = await startWith(3);
    await fairway.createCluster();
    await fairway.clusterReady();

    const pools = ['one', 'two', 'three', 'four'];
    await Promise.all(pools.map((name) => fairway.createPool({ replicas: 3 }, name)));
    // One pool has all of its nodes, and the others report why they do not.
    const isSettled = (found: readonly NodePool[]) =>
      found.filter(isReady).length === 1 && found.filter(limitOf).length === found.length - 1;
    const settled = await fairway.until(nodePools, isSettled);
    const first = await createdCounts(fairway);
    const winner = settled.find(isReady)?.metadata.name ?? '';
    await fairway.delete(nodePools, winner);
    await fairway.until(nodePools, (found) => found.length === 3 && isSettled(found));

    expect(winner).toBe(oldestOf(settled));
    expect(first).toEqual({ machines: 3, servers: 3 });
    for (const pool of settled.filter((each) => !isReady(each))) {
      expect(limitOf(pool)).toMatch(/^spec.replicas: 3: plan "free" allows 3 nodes per cluster, .*: this pool gets 0/);
    }
    expect(await createdCounts(fairway)).toEqual({ machines: 3, servers: 6 });
  });

  test('applies to pools that are scaled at the same time, and to those created before the cluster', async () => {
    await using fairway = await startWith(4);
    await Promise.all([fairway.createPool({ replicas: 1 }, 'one'), fairway.createPool({ replicas: 1 }, 'two')]);
    await fairway.createPool({ replicas: 999, maxReplicas: 999 }, 'zealous');
    await fairway.createCluster();
    await fairway.until(
      nodePools,
      ([pool]) => pool?.status?.readyReplicas === 2 && limitOf(pool) !== undefined,
      'zealous',
    );
    await fairway.patch(nodePools, 'zealous', { spec: { replicas: 0 } });
    await fairway.until(machines, (all) => all.length === 2);
    const before = serverHistory(fairway.cloud).length;

    await Promise.all(['one', 'two'].map((name) => fairway.patch(nodePools, name, { spec: { replicas: 4 } })));
    await fairway.until(machines, (all) => all.length === 4 && all.every(isReady));
    // The older pool takes precedence, and the other one keeps the nodes it has.
    await fairway.until(nodePools, (found) => found.filter(limitOf).length === 2);

    expect(before).toBe(4);
    expect(await createdCounts(fairway)).toEqual({ machines: 4, servers: 6 });
  });

  test('neither deletes nor adds nodes when it is lowered', async () => {
    await using fairway = await startWith(3);
    await fairway.readyCluster({ replicas: 2 });

    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes: 1 } } });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.until(nodePools, ([pool]) => limitOf(pool) !== undefined, 'general');

    expect(await createdCounts(fairway)).toEqual({ machines: 2, servers: 2 });
  });

  test('floating IPs are not created for a pool that was created before its cluster without a router', async () => {
    await using fairway = await startWith(3);
    await fairway.createPool({ replicas: 1, floatingIPs: { enabled: true } });
    await fairway.createCluster({ network: { gateway: { mode: 'None' } } });

    await fairway.untilReported(
      nodePools,
      'GatewayMissing',
      /^spec.floatingIPs.enabled: true: floating IPs require a router/,
    );
    await fairway.until(machines, (all) => all.length === 1 && all.every(isReady));

    expect(resourceCounts(fairway.cloud)['floating_ips']).toBe(0);
  });
});

describe('a limit on clusters', () => {
  const isRefused = ({ status }: Cluster) =>
    status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'PlanLimitExceeded');

  test('admits the first of five clusters to claim it, and another when one is deleted', async () => {
    await using fairway = await TestFairway.start();
    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxClusters: 2 } } });

    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => fairway.createCluster({}, name)));
    const settled = await fairway.until(
      clusters,
      (all) => all.filter(isReady).length === 2 && all.filter(isRefused).length === 3,
    );
    const { networks } = resourceCounts(fairway.cloud);
    await fairway.delete(clusters, settled.find(isReady)?.metadata.name ?? '');
    await fairway.until(
      clusters,
      (all) => all.length === 4 && all.filter(isReady).length === 2 && all.filter(isRefused).length === 2,
    );

    // One of them is the provider network.
    expect(networks).toBe(3);
    expect(resourceCounts(fairway.cloud)['networks']).toBe(3);
    const messages = settled.filter(isRefused).map(({ status }) => findCondition(status?.conditions, 'Ready')?.message);
    expect(messages[0]).toMatch(
      /^spec.plan: free: the namespace already has 2 clusters on this plan, which allows 2: delete/,
    );
  });

  test('does not affect clusters created before it', async () => {
    await using fairway = await TestFairway.start();
    await Promise.all(['a', 'b'].map((name) => fairway.createCluster({}, name)));
    await fairway.until(clusters, (all) => all.filter(isReady).length === 2);

    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxClusters: 1 } } });
    await fairway.createCluster({}, 'c');
    const found = await fairway.until(clusters, (all) => all.some(isRefused));

    expect(found.filter(isReady).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });
});

describe('objects deleted while being created', () => {
  test('pools created while their cluster is being deleted leave nothing in the cloud', async () => {
    await using fairway = await startWith(10);
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 1 });

    const names = ['one', 'two', 'three'];
    await Promise.all([
      ...names.map((name) => fairway.createPool({ replicas: 2 }, name)),
      fairway.delete(clusters, 'demo'),
      ...names.map((name) => fairway.createPool({ replicas: 2, antiAffinity: true }, `${name}-apart`)),
    ]);
    await fairway.until(clusters, (left) => left.length === 0);
    await fairway.until(machines, (left) => left.length === 0);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test.each(['Orphan', 'Foreground', 'Background'] as const)(
    'a pool deleted with propagation policy %s deletes its machines',
    async (propagationPolicy) => {
      await using fairway = await startWith(10);
      const { client, clock } = fairway;
      const stop = new AbortController();
      const collector = new GarbageCollector({ client, clock });
      collector.start(stop.signal);
      await fairway.readyCluster({ replicas: 2 });
      const [machine] = await fairway.machines();
      // As if the garbage collector got there first.
      if (propagationPolicy === 'Orphan') {
        const value = { metadata: { ownerReferences: null } };
        for (const { metadata } of await fairway.machines()) await fairway.patch(machines, metadata.name ?? '', value);
      }

      await client.resource(nodePools).delete('general', { namespace: TEAM, propagationPolicy });
      await fairway.until(machines, (left) => left.length === 0);
      await fairway.until(nodePools, (left) => left.length === 0);
      stop.abort();
      await collector.stopped;

      expect(machine).toBeDefined();
      expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0 });
    },
  );

  test('a machine whose pool was force-deleted is deleted with its cluster', async () => {
    await using fairway = await startWith(10);
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 1 });
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/paused': 'thief' } } });
    await fairway.until(
      clusters,
      ([found]) => found?.status?.conditions?.some(({ type }) => type === 'Paused') === true,
      'demo',
    );
    await fairway.patch(nodePools, 'general', { metadata: { finalizers: null } });
    await fairway.delete(nodePools, 'general');
    await fairway.patch(clusters, 'demo', { metadata: { annotations: null } });

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(await fairway.machines()).toEqual([]);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});
