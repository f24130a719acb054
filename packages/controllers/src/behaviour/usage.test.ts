import { PAUSED_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type UsageRecord, usageRecords } from '@fairway/api/kinds/usage-record';
import { RESTORE_PAUSE } from '@fairway/api/pause';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { ownerDescription, reclaimMark, serviceTags, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { forceDeleteAll } from '../testing/force-delete.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';
import { nodeUsageErrors, reported, UsageTruth } from '../testing/usage-truth.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Setting {
  readonly fairway: TestFairway;
  readonly clock: SteppingClock;
  readonly truth: UsageTruth;
}

async function start(options: TestFairwayOptions = {}): Promise<Setting> {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ ...options, clock });
  return { fairway, clock, truth: new UsageTruth(fairway) };
}

async function records({ fairway }: Setting): Promise<readonly UsageRecord[]> {
  return (await fairway.client.resource(usageRecords).list()).items;
}

/** Writes that the process requests, by path. */
function countedCalls(): { readonly paths: string[]; readonly options: TestFairwayOptions } {
  const paths: string[] = [];
  const apiFaults: TestFairwayOptions['apiFaults'] = ({ method, path }) => {
    if (method !== 'GET') paths.push(`${method} ${path}`);
    return undefined;
  };
  return { paths, options: { apiFaults } };
}

describe('the usage of a cluster', () => {
  test('counts a server from its launch to its end, and the control plane until its deletion is requested', async () => {
    const setting = await start();
    const { fairway, clock, truth } = setting;
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 2 }));
    const [firstRecord] = await records(setting);
    await clock.pass(HOUR_MS);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await clock.pass(HOUR_MS);
    const { deletionTimestamp } = await deleteCluster(setting);
    await clock.pass(HOUR_MS);

    const [record] = await records(setting);
    const controlPlane = firstRecord?.status?.intervals?.find(({ resource }) => resource === 'ControlPlane');
    const seconds = (Date.parse(deletionTimestamp) - Date.parse(controlPlane?.startTime ?? '')) / 1000;
    expect(firstRecord?.status?.summary).toBe('1 control plane, 2 nodes');
    expect((await reported(fairway, 'ControlPlane')).get('free')).toEqual({ amount: seconds, uncertain: 0 });
    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
    const { uncertain = 0 } = (await reported(fairway, 'Node')).get('b3-8') ?? {};
    expect(uncertain).toBeLessThan(60);
    expect(record?.status).toMatchObject({ summary: '', endedTime: expect.any(String) });
  });

  test('costs no write and no call while nothing changes, at any hour', async () => {
    const { paths, options } = countedCalls();
    const { fairway, clock } = await start(options);
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 2 }));
    await clock.pass(10 * MINUTE_MS);
    const usageRequests = () => paths.filter((path) => path.includes('usagerecords'));
    const writes = usageRequests().length;
    await clock.pass(6 * HOUR_MS);

    // The record is created, then updated as the control plane and the nodes appear: at most one write for each.
    expect(writes).toBeLessThanOrEqual(4);
    expect(usageRequests()).toHaveLength(writes);
  });

  test('changes with the flavor once the new nodes exist, and with the plan immediately', async () => {
    const setting = await start();
    const { fairway, clock, truth } = setting;
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    await clock.pass(HOUR_MS);
    await fairway.patch(nodePools, 'general', { spec: { flavor: 'b3-16' } });
    await fairway.patch(clusters, 'demo', { spec: { plan: 'standard' } });
    await clock.pass(HOUR_MS);

    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
    expect([...(await reported(fairway, 'Node')).keys()]).toEqual(['b3-16', 'b3-8']);
    const plans = await reported(fairway, 'ControlPlane');
    expect(plans.get('standard')?.amount).toBe(3600);
    expect((plans.get('free')?.amount ?? 0) - 3600).toBeLessThan(15 * 60);
  });

  test('includes the volumes that nodes boot from, in GiB', async () => {
    const { fairway, clock } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume: { sizeGiB: 40 } }));
    const before = (await reported(fairway, 'RootVolume')).get('default')?.amount ?? 0;
    await clock.pass(HOUR_MS);

    expect((await reported(fairway, 'RootVolume')).get('default')?.amount).toBe(before + 40 * 3600);
  });

  test('ends when servers are deleted externally, even while Fairway is down, within the reported uncertainty', async () => {
    const { fairway, clock, truth } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 2 }));
    await clock.pass(HOUR_MS);
    const { servers } = fairway.process.project.client.compute;
    const ids = (await fairway.machines()).map(({ status }) => status?.serverID ?? '');
    await clock.during(fairway.stopProcess());
    for (const id of ids) await clock.during(servers.delete(id));
    await clock.pass(HOUR_MS);
    await clock.during(fairway.startProcess());
    await clock.pass(10 * MINUTE_MS);

    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
    expect((await reported(fairway, 'Node')).get('b3-8')?.uncertain).toBeGreaterThan(2 * 3600);
  });
});

describe('a cluster’s cloud resources other than servers', () => {
  test.each([
    { resource: 'LoadBalancer', type: 'amphora', each: 1, pauseSeconds: 60 },
    { resource: 'Volume', type: expect.any(String), each: 10, pauseSeconds: 300 },
    { resource: 'FloatingIP', type: expect.any(String), each: 1, pauseSeconds: 300 },
  ] as const)(
    '$resource counts from its creation until it is deleted, and is not listed before or after',
    async ({ resource, type, each, pauseSeconds }) => {
      const setting = await start();
      const { fairway, clock } = setting;
      await using _ = fairway;
      const cluster = await clock.during(fairway.readyCluster({ replicas: 0 }));
      const callsOf = async (durationMs: number) => {
        const before = fairway.cloud.calls.total;
        await clock.pass(durationMs);
        return fairway.cloud.calls.total - before;
      };
      await clock.pass(HOUR_MS);
      const idle = await callsOf(HOUR_MS);
      const { remove, list } = await clock.during(createResource(setting, cluster, resource));
      const startedMs = clock.now();
      await clock.pass(10 * MINUTE_MS);
      // Its creator does this too, to check whether it is ready.
      await clock.during(list());
      const countedCalls = await callsOf(HOUR_MS);
      const [running] = [...(await reported(fairway, resource)).entries()];
      await clock.during(remove());
      const seconds = (clock.now() - startedMs) / 1000;
      await clock.pass(HOUR_MS);
      const after = await callsOf(HOUR_MS);

      const used = (await reported(fairway, resource)).get(running?.[0] ?? '');
      expect(running?.[0]).toEqual(type);
      expect(used?.amount).toBeGreaterThanOrEqual(each * (seconds - 2));
      expect((used?.amount ?? 0) - (used?.uncertain ?? 0)).toBeLessThanOrEqual(each * (seconds + 2));
      expect(used?.uncertain).toBeLessThanOrEqual(each * pauseSeconds * 1.2);
      // Counted kinds are listed at their usual interval, for all clusters in the project; floating IPs are listed
      // along with load balancers.
      expect(countedCalls).toBeLessThanOrEqual(idle + 3600 / pauseSeconds + 20);
      expect(after).toBeLessThanOrEqual(idle + 1);
    },
  );

  test('is split when a volume grows, and ends with its cluster if the volume is kept', async () => {
    const setting = await start();
    const { fairway, clock } = setting;
    await using _ = fairway;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 0 }));
    const { id, list } = await clock.during(createResource(setting, cluster, 'Volume'));
    await clock.pass(MINUTE_MS);
    await clock.during(list());
    await clock.pass(MINUTE_MS);
    const { volumes } = fairway.process.project.client.blockStorage;
    await clock.during(volumes.extend(id, 20));
    await clock.pass(10 * MINUTE_MS);
    const sizes = (await records(setting))[0]?.status?.intervals
      ?.filter(({ resource }) => resource === 'Volume')
      .map(({ quantity, endTime }) => [quantity, endTime === undefined]);
    await deleteCluster(setting);

    expect(sizes).toEqual([
      [10, false],
      [20, true],
    ]);
    expect(await records(setting)).toMatchObject([{ status: { summary: '', endedTime: expect.any(String) } }]);
    expect((await clock.during(volumes.get(id))).status).toBe('available');
  });
});

interface CreatedResource {
  readonly id: string;
  readonly remove: () => Promise<unknown>;
  /** The list as requested by another caller. */
  readonly list: () => Promise<unknown>;
}

/** A resource of a cluster, tagged the way the cloud provider tags them. */
async function createResource(
  { fairway, clock }: Setting,
  cluster: Cluster,
  resource: 'LoadBalancer' | 'Volume' | 'FloatingIP',
): Promise<CreatedResource> {
  const { client, cache } = fairway.process.project;
  const clusterUid = cluster.metadata.uid ?? '';
  const { network: { subnetID = '' } = {} } = cluster.status ?? {};
  switch (resource) {
    case 'LoadBalancer': {
      const { loadBalancers } = client.loadBalancing;
      const tags = [...serviceTags({ clusterUid, serviceUid: 'service' })];
      const { id } = await loadBalancers.create({ name: 'web', vip_subnet_id: subnetID, tags, provider: 'amphora' });
      return {
        id,
        remove: () => loadBalancers.deleteCascade(id),
        list: () => cache.loadBalancers.refreshAfter(clock.now()),
      };
    }
    case 'Volume': {
      const { volumes } = client.blockStorage;
      const metadata = { ...storageMetadata({ clusterUid, object: 'pvc-1' }), ...reclaimMark('Retain') };
      const { id } = await volumes.create({ name: 'pvc-1', size: 10, metadata });
      return { id, remove: () => volumes.delete(id), list: () => cache.volumes.refreshAfter(clock.now()) };
    }
    case 'FloatingIP': {
      const { floatingIps, networks } = client.network;
      const [external] = await Array.fromAsync(networks.list({ 'router:external': true }));
      const description = ownerDescription(clusterUid, 'service-floating-ip-s1');
      const request = { floating_network_id: external?.id ?? '', description };
      const { id } = await floatingIps.create(request);
      return { id, remove: () => floatingIps.delete(id), list: () => cache.floatingIps.refreshAfter(clock.now()) };
    }
  }
}

async function deleteCluster({ fairway, clock }: Setting): Promise<{ readonly deletionTimestamp: string }> {
  await fairway.delete(clusters, 'demo');
  const { metadata } = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
  await clock.during(fairway.until(clusters, (left) => left.length === 0));
  return { deletionTimestamp: metadata.deletionTimestamp ?? '' };
}

/** Created as by a restore: with the same identity, and paused until its status is written. */
async function restored({ fairway }: Setting, { spec, metadata: { uid = '' } }: Cluster): Promise<Cluster> {
  const metadata = { name: 'demo', namespace: TEAM, annotations: { [PAUSED_ANNOTATION]: RESTORE_PAUSE } };
  await fairway.create(clusters, { metadata, spec });
  const value = { status: { originUID: uid } };
  const options = { namespace: TEAM, subresource: 'status' };
  await fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, options);
  await fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
  return fairway.clusterReady();
}

/** Runs through a complete lifecycle over several hours, with a start and an end of every resource. */
async function live({ fairway, clock }: Setting): Promise<void> {
  await clock.during(fairway.createCluster().catch(() => undefined));
  await clock.during(fairway.createPool({ replicas: 2 }));
  await clock.pass(20 * MINUTE_MS);
  await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
  await clock.pass(20 * MINUTE_MS);
  await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
  await clock.pass(20 * MINUTE_MS);
  await fairway.delete(clusters, 'demo');
  await clock.pass(20 * MINUTE_MS);
}

describe('a killed process', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('neither loses nor duplicates usage at write %i', async (nth) => {
    const crash = new Crash(/\/usagerecords/);
    const setting = await start(crash.options);
    const { fairway, clock, truth } = setting;
    await using _ = fairway;
    const isDead = Promise.withResolvers<void>();
    crash.afterWrites(nth, () => {
      fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });
      isDead.resolve();
    });
    const restarted = isDead.promise.then(async () => {
      await clock.sleep(10 * MINUTE_MS);
      await fairway.stopProcess();
      crash.end();
      fairway.cloud.faults.clear();
      await fairway.startProcess();
    });
    await live(setting);
    if (crash.hasOccurred) await clock.during(restarted);
    else isDead.resolve();
    await clock.pass(HOUR_MS);

    expect(await fairway.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
    expect(await records(setting)).toMatchObject([{ status: { endedTime: expect.any(String), summary: '' } }]);
  });
});

describe('a tenant', () => {
  test.each(['true', 'restore'])(
    'includes a control plane whose deletion is blocked by a pause (%s)',
    async (value) => {
      const setting = await start();
      const { fairway, clock } = setting;
      await using _ = fairway;
      await clock.during(fairway.readyCluster({ replicas: 1 }));
      await clock.pass(HOUR_MS);
      const before = (await reported(fairway, 'ControlPlane')).get('free')?.amount ?? 0;
      await fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
      await fairway.delete(clusters, 'demo');
      await clock.pass(2 * HOUR_MS);
      const held = (await reported(fairway, 'ControlPlane')).get('free')?.amount ?? 0;
      await fairway.patch(clusters, 'demo', { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
      await clock.during(fairway.until(clusters, (left) => left.length === 0));
      await clock.pass(HOUR_MS);
      const after = (await reported(fairway, 'ControlPlane')).get('free')?.amount ?? 0;

      expect(held - before).toBeCloseTo(2 * 3600, -2);
      expect(after - held).toBeCloseTo(0, -2);
    },
  );

  test('has no uncertainty if a plan or size changes after a long idle time', async () => {
    const setting = await start();
    const { fairway, clock, truth } = setting;
    await using _ = fairway;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
    const { id, list } = await clock.during(createResource(setting, cluster, 'Volume'));
    await clock.during(list());
    await clock.pass(MINUTE_MS);
    await clock.pass(6 * HOUR_MS);
    await fairway.patch(clusters, 'demo', { spec: { plan: 'standard' } });
    await clock.during(fairway.process.project.client.blockStorage.volumes.extend(id, 20));
    await clock.pass(HOUR_MS);

    expect((await reported(fairway, 'ControlPlane')).get('free')?.uncertain).toBe(0);
    const volumes = [...(await reported(fairway, 'Volume')).values()];
    expect(volumes[0]?.amount).toBeGreaterThan(0);
    // In GiB seconds: the size times the interval between two lists.
    expect(volumes[0]?.uncertain).toBeLessThanOrEqual(10 * 6 * 60);
    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
  });
});

describe('a record', () => {
  test('continues when its cluster is restored, excluding the time in between', async () => {
    const setting = await start();
    const { fairway, clock } = setting;
    await using _ = fairway;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 0 }));
    await clock.pass(HOUR_MS);
    await deleteCluster(setting);
    const before = (await reported(fairway, 'ControlPlane')).get('free')?.amount ?? 0;
    await clock.pass(20 * MINUTE_MS);
    await clock.during(restored(setting, cluster));
    await clock.pass(HOUR_MS);

    const { amount = 0 } = (await reported(fairway, 'ControlPlane')).get('free') ?? {};
    expect(amount - before).toBeGreaterThan(50 * 60);
    expect(amount - before).toBeLessThanOrEqual(HOUR_MS / 1000 + 10 * 60);
    expect(await records(setting)).toMatchObject([{ status: { summary: '1 control plane' } }]);
    expect((await records(setting))[0]?.status?.endedTime).toBeUndefined();
  });

  test('outlives the namespace of its cluster, with the same data', async () => {
    const setting = await start();
    const { fairway, clock, truth } = setting;
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    await clock.pass(HOUR_MS);
    await fairway.client.resource(Namespaces).delete(TEAM);
    await clock.pass(HOUR_MS);

    const left = await records(setting);
    expect(await fairway.client.resource(clusters).list()).toMatchObject({ items: [] });
    expect(left).toMatchObject([
      { metadata: { namespace: SYSTEM_NAMESPACE }, spec: { namespace: TEAM }, status: { summary: '' } },
    ]);
    expect(left[0]?.status?.endedTime).toBeDefined();
    expect(await nodeUsageErrors(fairway, truth)).toEqual([]);
  });

  test('is deleted if a restore duplicates the record that outlived its namespace', async () => {
    const setting = await start();
    const { fairway, clock } = setting;
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 0 }));
    await clock.pass(HOUR_MS);
    const [record] = await records(setting);
    const { spec, status } = record as UsageRecord;
    const { name = '', finalizers = [] } = record?.metadata ?? {};
    await fairway.client.resource(Namespaces).delete(TEAM);
    await clock.pass(HOUR_MS);
    const before = (await reported(fairway, 'ControlPlane')).get('free')?.amount ?? 0;
    const Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM }, spec: {} };
    await fairway.client.resource(Namespaces).create(Namespace);
    const again = { metadata: { name, namespace: TEAM, finalizers }, spec } as UsageRecord;
    await fairway.create(usageRecords, again);
    const options = { namespace: TEAM, subresource: 'status' };
    await fairway.client.resource(usageRecords).patch(name, { type: 'merge', value: { status } }, options);
    await clock.pass(HOUR_MS);

    expect(await records(setting)).toMatchObject([{ metadata: { namespace: SYSTEM_NAMESPACE } }]);
    expect((await reported(fairway, 'ControlPlane')).get('free')?.amount).toBe(before);
  });

  test('ends with a force-deleted Cluster', async () => {
    const setting = await start();
    const { fairway, clock } = setting;
    await using _ = fairway;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
    await clock.pass(HOUR_MS);
    await clock.during(forceDeleteAll(fairway, cluster));
    await clock.pass(MINUTE_MS);

    expect(await records(setting)).toMatchObject([{ status: { summary: '', endedTime: expect.any(String) } }]);
  });

  test('is deleted when the retention period ends, not before', async () => {
    const setting = await start({ usageRetentionMs: 3 * HOUR_MS });
    const { fairway, clock } = setting;
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 0 }));
    await deleteCluster(setting);
    await clock.pass(2 * HOUR_MS);
    expect(await records(setting)).toHaveLength(1);
    await clock.pass(HOUR_MS + MINUTE_MS);

    expect(await records(setting)).toEqual([]);
  });
});
