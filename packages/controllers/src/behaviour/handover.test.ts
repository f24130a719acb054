import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { describe, expect, test } from 'vitest';
import { resourceCounts, serverHistory } from '../testing/cloud-contents.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';
import { TestOwner } from '../testing/test-owner.ts';

const DEMO_KEY = `${TEAM}/demo`;

/** A Ready cluster; `owner` determines whether it belongs to this process. */
async function ownedCluster(settleMs?: number): Promise<{ fairway: TestFairway; owner: TestOwner }> {
  const owner = new TestOwner();
  const fairway = await TestFairway.start({ owner, ...(settleMs !== undefined && { settleMs }) });
  owner.take(DEMO_KEY, { isInherited: false });
  await fairway.readyCluster({ replicas: 2 });
  return { fairway, owner };
}

/** Creates another cluster and waits until it is Ready: by then, all previously pending work is done. */
async function untilOtherClusterServed(fairway: TestFairway, owner: TestOwner, name: string): Promise<void> {
  owner.take(`${TEAM}/${name}`, { isInherited: false });
  await fairway.createCluster({}, name);
  await fairway.clusterReady(name);
}

describe('a cluster owned by another process', () => {
  test('is not touched, nor are its pools, machines and tenant API', async () => {
    const owner = new TestOwner();
    await using fairway = await TestFairway.start({ owner });
    await fairway.createCluster();
    await fairway.createPool();
    await untilOtherClusterServed(fairway, owner, 'mine');

    const [cluster] = await fairway.until(clusters, ([found]) => found !== undefined, 'demo');
    expect(cluster?.metadata.finalizers).toBeUndefined();
    // New objects report that no controller has observed them yet.
    expect(cluster?.status?.conditions?.map(({ status }) => status)).toEqual(['Unknown']);
    expect(cluster?.status?.phase).toBeUndefined();
    expect(await fairway.machines()).toEqual([]);
    expect(fairway.process.tenants.connected().map(({ clusterKey }) => clusterKey)).toEqual([`${TEAM}/mine`]);
  });

  test('is released completely and keeps its resources', async () => {
    const { fairway, owner } = await ownedCluster();
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    await owner.release(DEMO_KEY);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await untilOtherClusterServed(fairway, owner, 'mine');

    expect(resourceCounts(fairway.cloud).servers).toEqual(before.servers);
    expect(fairway.process.tenants.connected().map(({ clusterKey }) => clusterKey)).toEqual([`${TEAM}/mine`]);
    expect(fairway.process.project.cache.servers.expected).toEqual([]);
  });

  test('is served by its new owner', async () => {
    const { fairway, owner } = await ownedCluster();
    await using _ = fairway;
    await owner.release(DEMO_KEY);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    owner.take(DEMO_KEY, { isInherited: true });

    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
    expect(resourceCounts(fairway.cloud).servers).toBe(3);
  });

  test('gets no duplicates of resources that the previous owner requested', async () => {
    const [first, second] = [new TestOwner(), new TestOwner()];
    await using fairway = await TestFairway.start({ owner: first, settleMs: 10_000 });
    const firstProcess = fairway.process;
    first.take(DEMO_KEY, { isInherited: false });
    await fairway.readyCluster({ replicas: 1 });
    // The cloud creates the server long after the request; until then no list shows it.
    fairway.cloud.faults.add({
      service: 'compute',
      method: 'POST',
      path: '/servers$',
      action: { kind: 'delay', delayMs: 8_000 },
    });
    const requested = Promise.withResolvers<void>();
    fairway.cloud.calls.onReceived(({ method, path }) => {
      if (method === 'POST' && path.endsWith('/servers')) requested.resolve();
    });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    await fairway.until(machines, (all) => all.length === 2);
    await requested.promise;
    first.lose(DEMO_KEY);
    await fairway.startProcess(second);
    second.take(DEMO_KEY, { isInherited: true });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    const all = await fairway.until(machines, (found) => found.length === 3 && found.every(isReady));

    // The previous owner's request has taken effect by now.
    await fairway.clock.sleep(10_000);
    const names = serverHistory(fairway.cloud).map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(new Set(names)).toEqual(new Set(all.map(({ metadata }) => metadata.name)));
    await firstProcess.stop();
  });

  test('immediately gets a server for a new machine', async () => {
    const { fairway, owner } = await ownedCluster(600_000);
    await using _ = fairway;
    await owner.release(DEMO_KEY);
    owner.take(DEMO_KEY, { isInherited: true });
    const takenMs = fairway.clock.now();
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));

    const last = Math.max(...serverHistory(fairway.cloud).map(({ createdMs }) => createdMs));
    expect(last - takenMs).toBeLessThan(300_000);
  });

  test('causes no polling: a project whose clusters all have other owners costs nothing', async () => {
    const { fairway, owner } = await ownedCluster();
    await using _ = fairway;
    await owner.release(DEMO_KEY);
    const before = fairway.process.project.cache.servers.snapshot().listedAtMs;
    await fairway.clock.sleep(120_000);

    expect(fairway.process.project.cache.servers.snapshot().listedAtMs).toBe(before);
  });
});
