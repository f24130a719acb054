import { DELETED_CLUSTER_LABEL, RETRY_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { ConfigMaps, Events } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { clusterTag, ownerDescription, serverGroupName, storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { resourceCounts, rowsOf } from '../testing/cloud-contents.ts';
import { Crash } from '../testing/crash.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';
import { TestOwner } from '../testing/test-owner.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DEMO_KEY = `${TEAM}/demo`;

async function start(options: Partial<TestFairwayOptions> = {}) {
  const clock = new SteppingClock();
  const registry = options.registry ?? new Registry();
  const requests = { writes: 0, ofConfigMaps: 0 };
  const fairway = await TestFairway.start({
    clock,
    ...options,
    apiFaults: (request) => {
      if (request.method !== 'GET') requests.writes++;
      if (request.method !== 'GET' && request.path.includes('/configmaps')) requests.ofConfigMaps++;
      return options.apiFaults?.(request);
    },
  });
  const records = async () => {
    const selection = { namespace: SYSTEM_NAMESPACE, labelSelector: DELETED_CLUSTER_LABEL };
    return (await fairway.client.resource(ConfigMaps).list(selection)).items;
  };
  const events = async (reason: string) => {
    const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
    return items.filter((event) => event.reason === reason).map(({ message = '' }) => message);
  };
  const metrics = async () => {
    const lines = (await registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith('fairway_orphans') && !line.endsWith(' 0'));
  };
  return { fairway, clock, requests, records, events, metrics };
}

/** A cluster that was deleted. */
async function deletedCluster(fairway: TestFairway, clock: SteppingClock): Promise<Cluster> {
  const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, (left) => left.length === 0));
  return cluster;
}

/** Resources that appear late: one of each kind. */
async function makeLateOrphans(fairway: TestFairway, clusterUid: string): Promise<void> {
  const { client } = fairway.process.project;
  const { compute, loadBalancing, network } = client;
  const mark = (role: Parameters<typeof ownerDescription>[1]) => ({ description: ownerDescription(clusterUid, role) });
  const { id: networkID } = await network.networks.create({ name: 'late', ...mark('network') });
  const subnet = { network_id: networkID, ip_version: 4, cidr: '10.66.0.0/24' } as const;
  const { id: subnetID } = await network.subnets.create({ ...subnet, ...mark('subnet') });
  const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  const gateway = { external_gateway_info: { network_id: external?.id ?? '' } };
  const { id: routerID } = await network.routers.create({ name: 'late', ...gateway, ...mark('router') });
  await network.routers.addInterface(routerID, { subnet_id: subnetID });
  await network.securityGroups.create({ name: 'late', ...mark('node-security-group') });
  await network.ports.create({ network_id: networkID, name: 'late', ...mark('port-gone') });
  await network.floatingIps.create({ floating_network_id: external?.id ?? '', ...mark('floating-ip-gone') });
  await compute.serverGroups.create({
    name: serverGroupName({ clusterUid, poolUid: 'gone' }),
    policy: 'anti-affinity',
  });
  const tags = ['fairway', clusterTag(clusterUid)];
  await loadBalancing.loadBalancers.create({ name: 'late', vip_subnet_id: subnetID, tags });
  const metadata = storageMetadata({ clusterUid, object: 'gone' });
  await client.sharedFileSystem.shares.create({ share_proto: 'NFS', size: 1, metadata });
  await makeServer(fairway, clusterUid, networkID);
}

async function makeServer({ process }: TestFairway, clusterUid: string, networkID: string): Promise<void> {
  const { cache, client } = process.project;
  const [{ id: flavorRef = '' } = {}] = (await cache.flavors.refreshAfter(0)).items.values();
  const [{ id: imageRef = '' } = {}] = (await cache.images.refreshAfter(0)).items.values();
  const tags = ['fairway', `fairway-cluster-${clusterUid}`, 'fairway-machine-gone'];
  await client.compute.servers.create({ name: 'late', flavorRef, imageRef, networks: [{ uuid: networkID }], tags });
}

describe('resources that appear after their cluster was deleted', () => {
  test('are found within the hour, deleted regardless of kind, and reported', async () => {
    const { fairway, clock, records, events, metrics } = await start({ registry: new Registry() });
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    const { metadata } = await deletedCluster(fairway, clock);
    await clock.pass(20 * MINUTE_MS);
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    const during = resourceCounts(fairway.cloud);
    const shares = () => rowsOf(fairway.cloud)['shares'];
    const late = shares();

    await clock.pass(HOUR_MS);
    const after = resourceCounts(fairway.cloud);
    const found = await events('OrphanFound');

    expect(Object.keys(during).filter((kind) => (during[kind] ?? 0) <= (before[kind] ?? 0))).toEqual([]);
    expect(after).toEqual(before);
    expect([late, shares()]).toEqual([1, 0]);
    expect(found).toEqual([
      expect.stringMatching(
        /^resources of deleted cluster [0-9a-f-]+: servers [0-9a-f-]+, .* appeared after its deletion/,
      ),
    ]);
    expect(await metrics()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^fairway_orphans_deleted_total\{kind="networks"\} 1$/),
        expect.stringMatching(/^fairway_orphans_deleted_total\{kind="security groups"\} 1$/),
      ]),
    );
    expect(await records()).toHaveLength(1);
  });

  test('are searched for immediately on request if a sweep was missed because of a restart', async () => {
    const { fairway, clock, records } = await start();
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    const { metadata } = await deletedCluster(fairway, clock);
    await clock.pass(20 * MINUTE_MS);
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    await clock.during(fairway.stopProcess());
    await clock.pass(HOUR_MS);
    await clock.during(fairway.startProcess());
    await clock.pass(10 * MINUTE_MS);
    const missed = resourceCounts(fairway.cloud);

    const [record] = await records();
    const value = { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } };
    const where = { namespace: SYSTEM_NAMESPACE };
    await fairway.client.resource(ConfigMaps).patch(record?.metadata.name ?? '', { type: 'merge', value }, where);
    await clock.pass(5 * MINUTE_MS);

    expect(missed).not.toEqual(before);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('are found once the credential is back, if it was missing when the cluster was deleted', async () => {
    const { fairway, clock, records } = await start();
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    const { metadata } = await fairway.createCluster({ credentialName: 'mine' });
    await clock.pass(MINUTE_MS);
    await fairway.delete(clusters, 'demo');
    await clock.during(fairway.until(clusters, (left) => left.length === 0));
    await clock.during(fairway.createCredential());
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    await clock.pass(20 * MINUTE_MS);

    expect(await records()).toHaveLength(1);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('are searched for five times, at the cost of as many lists, and forgotten after a week', async () => {
    const { fairway, clock, requests, records } = await start();
    await using _ = fairway;
    await deletedCluster(fairway, clock);
    const during = await records();
    const requestsBefore = requests.ofConfigMaps;
    const callsOf = async (days: number) => {
      const before = fairway.cloud.calls.total;
      await clock.pass(days * DAY_MS);
      return fairway.cloud.calls.total - before;
    };
    const looked = await callsOf(8);
    const after = await records();
    const rest = await callsOf(8);

    expect(during).toHaveLength(1);
    expect(after).toEqual([]);
    // Thirteen lists per sweep, plus the namespace's CloudProfile, the cost of which varies slightly from week to week.
    expect(looked - rest).toBeLessThanOrEqual(5 * 13 + 15);
    // The record is deleted.
    expect(requests.ofConfigMaps - requestsBefore).toBe(1);
  });
});

describe('clusters of another Fairway installation in the same project', () => {
  test('remain untouched, since this Fairway installation has no record of their deletion', async () => {
    const { fairway, clock } = await start();
    await using _ = fairway;
    await deletedCluster(fairway, clock);
    await clock.during(makeLateOrphans(fairway, 'living-elsewhere'));
    await clock.pass(MINUTE_MS);
    const before = resourceCounts(fairway.cloud);

    await clock.pass(8 * DAY_MS);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('remain if they come from a backup of this Fairway installation; later ones are held, and reported once', async () => {
    const { fairway, clock, requests, events, metrics } = await start({ registry: new Registry() });
    await using _ = fairway;
    const { metadata } = await deletedCluster(fairway, clock);
    await clock.pass(3 * HOUR_MS);
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    await clock.pass(MINUTE_MS);
    const before = resourceCounts(fairway.cloud);
    await clock.pass(4 * HOUR_MS);
    const { writes } = requests;
    const held = await metrics();
    await clock.pass(8 * DAY_MS);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
    expect(await events('OrphanFound')).toHaveLength(1);
    expect(held).toContain('fairway_orphans{kind="servers",state="held"} 1');
    // One write an hour, and one every two hours for the time of the CloudProfile's quotas.
    expect(requests.writes - writes).toBeLessThanOrEqual(1 + 8 * (24 + 12));
  });
});

test('orphans are only reported if the operator has configured that', async () => {
  const { fairway, clock, events, metrics } = await start({ orphans: 'Report', registry: new Registry() });
  await using _ = fairway;
  const { metadata } = await deletedCluster(fairway, clock);
  await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
  await clock.pass(MINUTE_MS);
  const before = resourceCounts(fairway.cloud);

  await clock.pass(8 * DAY_MS);

  expect(resourceCounts(fairway.cloud)).toEqual(before);
  expect((await events('OrphanFound'))[0]).toMatch(/delete it manually$/);
  expect(await metrics()).toContain('fairway_orphans{kind="routers",state="held"} 1');
});

const FAULTS: readonly { cause: string; fault: FaultInput }[] = [
  { cause: '403 to deletions of servers', fault: fault('compute', 'DELETE', '/servers', 403) },
  { cause: '409 to deletions of networks', fault: fault('network', 'DELETE', '/networks', 409) },
  { cause: '500 to lists of routers', fault: fault('network', 'GET', '/routers', 500) },
  { cause: '429 of Neutron', fault: { ...fault('network', 'GET', '/', 429) } },
  { cause: '503 of everything', fault: { times: null, action: { kind: 'answer', status: 503 } } },
  { cause: 'broken connections', fault: { times: null, action: { kind: 'drop' } } },
];

function fault(service: 'compute' | 'network', method: string, path: string, status: number): FaultInput {
  return { service, method, path, times: null, action: { kind: 'answer', status } };
}

describe('a sweep that fails for hours', () => {
  test.each(FAULTS)(
    'makes a few calls a minute during $cause, and ends once it succeeds',
    async ({ fault: lastingFault }) => {
      const { fairway, clock, requests } = await start();
      await using _ = fairway;
      const before = resourceCounts(fairway.cloud);
      const { metadata } = await deletedCluster(fairway, clock);
      await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
      fairway.cloud.faults.add(lastingFault);
      await clock.pass(20 * MINUTE_MS);
      const countsSoFar = { calls: fairway.cloud.calls.total, writes: requests.writes };
      await clock.pass(HOUR_MS);
      const hour = {
        calls: fairway.cloud.calls.total - countsSoFar.calls,
        writes: requests.writes - countsSoFar.writes,
      };
      fairway.cloud.faults.clear();
      await clock.pass(HOUR_MS);

      // Each rejection triggers a query to find out what blocks a network.
      expect(hour.calls).toBeLessThanOrEqual(4 * 60 + 12);
      expect(hour.writes).toBeLessThanOrEqual(10);
      expect(resourceCounts(fairway.cloud)).toEqual(before);
    },
  );
});

describe('resources of a live cluster for deleted machines and pools', () => {
  test('are deleted, and resources of existing machines and pools remain', async () => {
    const { fairway, clock, events } = await start();
    await using _ = fairway;
    const { client } = fairway.process.project;
    const { id: networkID } = await client.network.networks.create({ name: 'theirs' });
    const subnet = { name: 'theirs', network_id: networkID, ip_version: 4, cidr: '10.77.0.0/24' } as const;
    const { id: subnetID } = await client.network.subnets.create(subnet);
    const spec = { network: { networkID, subnetID, gateway: { mode: 'None' as const } } };
    const pool = { replicas: 2, antiAffinity: true };
    const { metadata } = await clock.during(fairway.readyCluster(pool, spec));
    const clusterUid = metadata.uid ?? '';
    await clock.pass(MINUTE_MS);
    const before = resourceCounts(fairway.cloud);
    const description = ownerDescription(clusterUid, 'port-gone');
    await client.network.ports.create({ network_id: networkID, name: 'late', description });
    const [external] = await Array.fromAsync(client.network.networks.list({ 'router:external': true }));
    const address = { floating_network_id: external?.id ?? '' };
    const late = { ...address, description: ownerDescription(clusterUid, 'floating-ip-gone') };
    await client.network.floatingIps.create(late);
    const serviceAddress = { ...address, description: `Fairway cluster ${clusterUid} service-floating-ip-here` };
    await client.network.floatingIps.create(serviceAddress);
    const policy = 'anti-affinity' as const;
    await client.compute.serverGroups.create({ name: serverGroupName({ clusterUid, poolUid: 'gone' }), policy });
    const foreign = serverGroupName({ clusterUid: 'elsewhere', poolUid: 'gone' });
    await client.compute.serverGroups.create({ name: foreign, policy });
    await makeServer(fairway, clusterUid, networkID);

    await clock.pass(2 * HOUR_MS);

    const { floating_ips = 0, ports = 0, server_groups = 0 } = before;
    expect(resourceCounts(fairway.cloud)).toEqual({
      ...before,
      floating_ips: floating_ips + 1,
      // The floating IP's own port.
      ports: ports + 1,
      server_groups: server_groups + 1,
    });
    expect((await events('OrphanDeleted')).map((message) => message.replace(/ [0-9a-f-]{36}/, '')).sort()).toEqual([
      'floating IP no longer belonged to any machine and was deleted',
      'port no longer belonged to any machine and was deleted',
      'server (late) no longer belonged to any machine and was deleted',
      'server group no longer belonged to any pool and was deleted',
    ]);
  });

  test('are retried for hours at little cost, reported, and deleted once possible', async () => {
    const { fairway, clock, requests, events } = await start();
    await using _ = fairway;
    const { client } = fairway.process.project;
    const { metadata } = await clock.during(fairway.readyCluster({ replicas: 1 }));
    await clock.pass(MINUTE_MS);
    const before = resourceCounts(fairway.cloud);
    const name = serverGroupName({ clusterUid: metadata.uid ?? '', poolUid: 'gone' });
    await client.compute.serverGroups.create({ name, policy: 'anti-affinity' });
    fairway.cloud.faults.add(fault('compute', 'DELETE', '/os-server-groups/', 500));
    await clock.pass(2 * HOUR_MS);
    const countsSoFar = { calls: fairway.cloud.calls.total, writes: requests.writes };
    await clock.pass(HOUR_MS);
    const hour = { calls: fairway.cloud.calls.total - countsSoFar.calls, writes: requests.writes - countsSoFar.writes };
    fairway.cloud.faults.clear();
    await clock.pass(10 * MINUTE_MS);

    expect(hour.calls).toBeLessThanOrEqual(3 * 60);
    expect(hour.writes).toBeLessThanOrEqual(30);
    expect(await events('OrphanNotDeleted')).toHaveLength(1);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('are not reported when a sweep fails', async () => {
    const { fairway, clock, events } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    fairway.cloud.faults.add({ times: null, action: { kind: 'answer', status: 503 } });
    await clock.pass(2 * HOUR_MS);

    expect(await events('OrphanNotDeleted')).toEqual([]);
  });

  test('are found at the cost of two lists an hour', async () => {
    const { fairway, clock } = await start();
    await using _ = fairway;
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    const lists = () => fairway.cloud.calls.total;
    await clock.pass(HOUR_MS / 2);
    const before = lists();
    await clock.pass(HOUR_MS / 4);
    const without = lists() - before;
    await clock.pass(HOUR_MS / 4);

    expect(lists() - before).toBeLessThanOrEqual(2 * without + 3);
  });
});

describe('a killed process', () => {
  test.each([1, 2, 3])('still leaves the record if it is killed at write %i of a deletion’s last step', async (nth) => {
    const crash = new Crash(/\/(configmaps|secrets|clusters)(\/|\?|$)/);
    const { fairway, clock, records } = await start(crash.options);
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    const { metadata } = await clock.during(fairway.readyCluster({ replicas: 0 }));
    await clock.pass(MINUTE_MS);
    await fairway.delete(clusters, 'demo');
    crash.afterWrites(nth, () => fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } }));
    await clock.pass(5 * MINUTE_MS);
    expect(crash.hasOccurred).toBe(true);
    await clock.during(fairway.stopProcess());
    crash.end();
    fairway.cloud.faults.clear();
    await clock.during(fairway.startProcess());
    await clock.during(fairway.until(clusters, (left) => left.length === 0));
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    await clock.pass(2 * HOUR_MS);

    expect(await records()).toHaveLength(1);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});

describe('a process killed in the middle of a sweep', () => {
  test.each([
    { step: 'servers', service: 'compute', method: 'DELETE', path: '/servers/' },
    { step: 'server groups', service: 'compute', method: 'DELETE', path: '/os-server-groups/' },
    { step: 'ports', service: 'network', method: 'DELETE', path: '/ports/' },
    { step: 'floating IPs', service: 'network', method: 'DELETE', path: '/floatingips/' },
    { step: 'router interfaces', service: 'network', method: 'PUT', path: '/remove_router_interface' },
    { step: 'routers', service: 'network', method: 'DELETE', path: '/routers/' },
    { step: 'networks', service: 'network', method: 'DELETE', path: '/networks/' },
    { step: 'security groups', service: 'network', method: 'DELETE', path: '/security-groups/' },
  ] as const)('leaves the rest to the next process at $step', async ({ step: _step, ...call }) => {
    const { fairway, clock } = await start();
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    const { metadata } = await deletedCluster(fairway, clock);
    await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
    fairway.cloud.faults.add({ ...call, times: null, action: { kind: 'drop' } });
    await clock.pass(15 * MINUTE_MS);
    const during = resourceCounts(fairway.cloud);
    await clock.during(fairway.stopProcess());
    fairway.cloud.faults.clear();
    await clock.during(fairway.startProcess());
    await clock.pass(HOUR_MS);

    expect(during).not.toEqual(before);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});

test('all replicas together sweep only once, and the next owner of a key continues', async () => {
  const [first, second] = [new TestOwner(), new TestOwner()];
  const { fairway, clock, events } = await start({ owner: first });
  await using _ = fairway;
  first.take(DEMO_KEY, { isInherited: false });
  const before = resourceCounts(fairway.cloud);
  const firstProcess = fairway.process;
  await clock.during(fairway.startProcess(second));
  const { metadata } = await deletedCluster(fairway, clock);
  await clock.during(makeLateOrphans(fairway, metadata.uid ?? ''));
  await clock.during(first.release(DEMO_KEY));
  await clock.pass(5 * MINUTE_MS);
  second.take(DEMO_KEY, { isInherited: true });
  await clock.pass(15 * MINUTE_MS);

  expect(resourceCounts(fairway.cloud)).toEqual(before);
  expect(await events('OrphanFound')).toHaveLength(1);
  await clock.during(firstProcess.stop());
});
