import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

const oneZone = DEFAULT_CONFIG.zones.slice(0, 1);

describe('the fields of a pool', () => {
  test('spread its nodes over its zones', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 5, availabilityZones: ['nova-a', 'nova-b', 'nova-c'] });

    const zones = (await serversOf(fairway)).map((server) => server['OS-EXT-AZ:availability_zone']);

    expect(Object.groupBy(zones, (zone) => zone ?? '')).toMatchObject({
      'nova-a': { length: 2 },
      'nova-b': { length: 2 },
      'nova-c': { length: 1 },
    });
  });

  test.each([
    {
      plan: 'standard',
      cloud: {},
      zones: ['nova-a', 'nova-b', 'nova-c'],
      spread: [2, 2, 2],
      reason: 'all zones are used',
    },
    { plan: 'free', cloud: {}, zones: undefined, spread: undefined, reason: 'the cloud chooses' },
    { plan: 'standard', cloud: { zones: oneZone }, zones: undefined, spread: [6], reason: 'the only zone is used' },
  ])('default to $zones with plan $plan: $reason', async ({ plan, cloud, zones, spread }) => {
    await using fairway = await TestFairway.start({ cloud });
    await fairway.readyCluster({ replicas: 3 }, { plan });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 6 } });
    await fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 6);

    const [pool] = await fairway.until(nodePools, ([each]) => each !== undefined);
    const used = (await serversOf(fairway)).map((server) => server['OS-EXT-AZ:availability_zone'] ?? '');

    expect(pool?.status?.zones).toEqual(zones);
    expect(pool?.spec.availabilityZones).toBeUndefined();
    const counts = Object.values(Object.groupBy(used, (zone) => zone)).map((all) => all?.length);
    expect(counts).toEqual(spread ?? counts);
  });

  test('keep the zones chosen for a pool, and do not move a pool that already had nodes', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    await fairway.patch(clusters, 'demo', { spec: { plan: 'standard' } });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 3);
    const kept = await fairway.machines();
    await fairway.createPool({ replicas: 0 }, 'later');
    const chosen = await fairway.until(
      nodePools,
      (all) => all.find(({ metadata }) => metadata.name === 'later')?.status?.zones !== undefined,
    );
    await fairway.patch(nodePools, 'later', { spec: { replicas: 3 } });
    await fairway.until(nodePools, (all) => all.every(({ status }) => status?.readyReplicas === 3));
    const zonesOf = (all: readonly Machine[], name: string) =>
      all.filter(({ spec }) => spec.nodePoolName === name).map(({ spec }) => spec.zone);

    expect(chosen.find(({ metadata }) => metadata.name === 'general')?.status?.zones).toBeUndefined();
    expect(zonesOf(kept, 'general')).toEqual([undefined, undefined, undefined]);
    expect(
      zonesOf(await fairway.machines(), 'later')
        .map(String)
        .sort(),
    ).toEqual(['nova-a', 'nova-b', 'nova-c']);
    expect((await fairway.machines()).filter((each) => zonesOf([each], 'general').length > 0)).toHaveLength(3);
  });

  test('let its nodes boot from volumes', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1, rootVolume: { sizeGiB: 40 } });

    const [server] = await serversOf(fairway);

    expect(server?.image).toBe('');
  });

  test('give its nodes a server group, which is deleted with the pool', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 3, antiAffinity: true });
    const [group] = await Array.fromAsync(fairway.process.project.client.compute.serverGroups.list());
    const servers = await serversOf(fairway);

    await fairway.delete(nodePools, 'general');
    await fairway.until(nodePools, (left) => left.length === 0);

    expect(group?.members.toSorted()).toEqual(servers.map(({ id }) => id).toSorted());
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0, server_groups: 0 });
  });

  test('allow more nodes than hypervisors with soft anti-affinity', async () => {
    const zones = [{ name: 'nova-a', hosts: 2, hostVcpus: 64, hostRamMiB: 262_144, hostDiskGiB: 4_000 }];
    await using fairway = await TestFairway.start({ cloud: { zones } });
    await fairway.readyCluster({ replicas: 3, antiAffinity: true, antiAffinityPolicy: 'Soft' });
    const [group] = await Array.fromAsync(fairway.process.project.client.compute.serverGroups.list());
    const hosts = (await serversOf(fairway)).map(({ hostId }) => hostId);

    expect(group).toMatchObject({ policy: 'soft-anti-affinity', members: { length: 3 } });
    expect(new Set(hosts).size).toBe(2);
  });

  test('add and remove floating IPs, and keep the servers', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    const before = (await serversOf(fairway)).map(({ id }) => id);
    const count = () => resourceCounts(fairway.cloud)['floating_ips'];

    await fairway.patch(nodePools, 'general', { spec: { floatingIPs: { enabled: true } } });
    await fairway.until(machines, (all) =>
      all.every(({ status }) => status?.addresses?.some(({ type }) => type === 'ExternalIP')),
    );
    const countWithGroups = count();
    await fairway.patch(nodePools, 'general', { spec: { floatingIPs: { enabled: false } } });
    await fairway.until(machines, (all) =>
      all.every(({ status }) => status?.addresses?.every(({ type }) => type !== 'ExternalIP')),
    );

    expect([countWithGroups, count()]).toEqual([2, 0]);
    expect((await serversOf(fairway)).map(({ id }) => id)).toEqual(before);
  });

  test('set annotations and finalizers on existing nodes, and remove them again', async () => {
    await using fairway = await TestFairway.start();
    const { metadata } = await fairway.readyCluster({ replicas: 1 });
    const uid = metadata.uid ?? '';
    const finalizers = ['example.com/inventory'];
    const annotations = { 'example.com/rack': 'r7' };

    await fairway.patch(nodePools, 'general', { spec: { template: { metadata: { annotations, finalizers } } } });
    const [node] = await fairway.untilTenant(uid, tenantNodes, ([each]) => each?.metadata.finalizers?.length === 1);
    await fairway.patch(nodePools, 'general', {
      spec: { template: { metadata: { annotations: null, finalizers: null } } },
    });
    const [after] = await fairway.untilTenant(
      uid,
      tenantNodes,
      ([each]) => each?.metadata.annotations?.['example.com/rack'] === undefined && !each?.metadata.finalizers?.length,
    );

    expect(node?.metadata).toMatchObject({ annotations, finalizers });
    expect(after?.metadata.finalizers ?? []).toEqual([]);
  });

  test('accept a flavor by its ID', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1, flavor: 'b3-16' });
    const flavors = await Array.fromAsync(fairway.process.project.client.compute.flavors.list());
    const [server] = await serversOf(fairway);

    const pool = await fairway.poolReady();

    expect(pool.status?.flavorID).toBe(flavors.find(({ name }) => name === 'b3-16')?.id);
    expect(server?.flavor).toMatchObject({ original_name: 'b3-16' });
  });

  test('set labels, annotations and taints on existing nodes', async () => {
    await using fairway = await TestFairway.start();
    const { metadata } = await fairway.readyCluster({ replicas: 2 });
    const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };

    await fairway.patch(nodePools, 'general', {
      spec: { template: { metadata: { labels: { tier: 'web' } }, spec: { taints: [taint], unschedulable: true } } },
    });
    const nodes = await fairway.untilTenant(metadata.uid ?? '', tenantNodes, (all) =>
      all.every(({ metadata: { labels }, spec }) => labels?.['tier'] === 'web' && spec?.unschedulable === true),
    );

    expect(nodes.map(({ spec }) => spec?.taints)).toEqual([
      expect.arrayContaining([expect.objectContaining(taint)]),
      expect.arrayContaining([expect.objectContaining(taint)]),
    ]);
  });
});

describe('the limits of a plan', () => {
  test('apply to writes that have passed admission: the oldest pool first, the others when there is room', async () => {
    await using fairway = await TestFairway.start();
    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes: 3 } } });
    await fairway.readyCluster({ replicas: 2 });
    await fairway.createPool({ replicas: 5 }, 'younger');

    const [limitedPool] = await fairway.until(
      nodePools,
      ([pool]) => pool?.status?.readyReplicas === 1 && !isReady(pool),
      'younger',
    );
    const machineCount = (await fairway.machines()).length;
    await fairway.patch(nodePools, 'general', { spec: { replicas: 0 } });
    await fairway.until(nodePools, ([pool]) => pool?.status?.readyReplicas === 3, 'younger');
    await fairway.until(machines, (left) => left.every(({ spec }) => spec.nodePoolName === 'younger'));

    expect(machineCount).toBe(3);
    expect(limitedPool?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'PlanLimitExceeded' }),
    );
    expect(await fairway.machines()).toHaveLength(3);
  });
});

describe('existing resources for a cluster', () => {
  test('may be a tenant’s network, which is left unchanged', async () => {
    await using fairway = await TestFairway.start();
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    const { id: subnetID } = await network.subnets.create({
      name: 'theirs',
      network_id: networkID,
      ip_version: 4,
      cidr: '10.77.0.0/24',
    });
    const before = resourceCounts(fairway.cloud);

    const cluster = await fairway.readyCluster({ replicas: 1 }, { network: { networkID, gateway: { mode: 'None' } } });
    const during = resourceCounts(fairway.cloud);
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(cluster.status?.network).toMatchObject({ networkID, subnetID });
    expect(during).toMatchObject({ networks: before['networks'], subnets: before['subnets'], routers: 0 });
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('a cluster whose Plan was deleted still leaves nothing behind', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 1 });

    await fairway.client.resource(plans).delete('free');
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('a machine deleted right after a restart is drained as usual', async () => {
    await using fairway = await TestFairway.start();
    const { metadata } = await fairway.readyCluster({ replicas: 2 });
    await fairway.stopProcess();
    const [victim] = await fairway.machines();
    const { name = '' } = victim?.metadata ?? {};
    await fairway.delete(machines, name);
    const seen: unknown[] = [];
    const nodes = fairway.runtime.client(metadata.uid ?? '').resource(tenantNodes);
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { object } of nodes.watch({ signal: stop.signal })) {
        if (object.metadata.name === name) seen.push(object.spec?.unschedulable ?? false);
      }
    })().catch(() => {});

    await fairway.startProcess();
    await fairway.until(
      machines,
      (all) => all.length === 2 && all.every(isReady) && all.every((m) => m.metadata.name !== name),
    );
    stop.abort();
    await watching;

    expect(seen).toContain(true);
  });

  test('a machine deleted before the outcome of its server’s creation is known leaves nothing behind', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);
    fairway.cloud.faults.add({
      service: 'compute',
      method: 'POST',
      path: '/servers$',
      times: null,
      action: { kind: 'drop', when: 'after' },
    });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 3 });
    await fairway.until(
      machines,
      (all) => all.length === 3 && all.every(({ status }) => status?.conditions !== undefined),
    );

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});

function serversOf(fairway: TestFairway) {
  return Array.fromAsync(fairway.process.project.client.compute.servers.list());
}

describe('a node with a stolen kubelet credential', () => {
  test('keeps everything that its pool did not set, but loses what its pool removes', async () => {
    await using fairway = await TestFairway.start();
    const gpu = { key: 'gpu', value: 'yes', effect: 'NoSchedule' } as const;
    const foreignTaint = { key: 'tenant-only', effect: 'NoExecute' };
    const labels = { tier: 'web' };
    const pool = { replicas: 1, template: { metadata: { labels }, spec: { taints: [gpu] } } };
    const { metadata } = await fairway.readyCluster(pool);
    const uid = metadata.uid ?? '';
    const nodes = fairway.runtime.client(uid).resource(tenantNodes);
    const [node] = await fairway.untilTenant(uid, tenantNodes, (all) => all[0]?.metadata.labels?.['tier'] === 'web');
    const restricted = { 'node-restriction.kubernetes.io/owner': 'a' };
    const claim = {
      labels: Object.keys(restricted),
      annotations: [],
      taints: ['tenant-only:NoExecute'],
      unschedulable: true,
    };

    await nodes.patch(node?.metadata.name ?? '', {
      type: 'merge',
      value: {
        metadata: { labels: restricted, annotations: { 'fairway.dev/applied-template': JSON.stringify(claim) } },
        spec: { taints: [...(node?.spec?.taints ?? []), foreignTaint], unschedulable: true },
      },
    });
    await fairway.patch(nodePools, 'general', {
      spec: { template: { metadata: { labels: null }, spec: { taints: [] } } },
    });
    const [after] = await fairway.untilTenant(uid, tenantNodes, ([found]) => {
      return (
        found?.metadata.labels?.['tier'] === undefined && Object.keys(found?.metadata.annotations ?? {}).length === 0
      );
    });
    const [machine] = await fairway.until(machines, ([found]) => found?.status?.appliedTemplate?.taints.length === 0);

    expect(after?.metadata.labels).toMatchObject(restricted);
    expect(after?.spec).toMatchObject({ taints: [expect.objectContaining(foreignTaint)], unschedulable: true });
    expect(machine?.status?.appliedTemplate?.labels).toEqual(['fairway.dev/node-pool']);
  });
});
