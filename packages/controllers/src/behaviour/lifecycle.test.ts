import { DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, isSame, TEAM, TestFairway } from '../testing/test-fairway.ts';

const NO_RESPONSE = 'the cloud has not responded yet';

describe('a full lifecycle', () => {
  test('takes a cluster with three nodes to Ready, and deletes it without leaving a trace', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);

    const cluster = await fairway.readyCluster({ replicas: 3, antiAffinity: true, floatingIPs: { enabled: true } });
    const during = resourceCounts(fairway.cloud);
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(cluster.status).toMatchObject({ phase: 'Ready', nodes: { desired: 3, ready: 3 } });
    expect(during).toMatchObject({
      servers: 3,
      networks: 2,
      subnets: 2,
      routers: 1,
      server_groups: 1,
      floating_ips: 3,
    });
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('an object that no controller has observed is not Ready, for clients that wait for it', async () => {
    await using fairway = await TestFairway.start();
    await fairway.stopProcess();

    const created = [await fairway.createCluster(), await fairway.createPool({ replicas: 1 })];

    for (const { status } of created) {
      expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'Unknown' }]);
    }
  });

  test('servers of a pool are requested in parallel', async () => {
    const latency = { ...NO_LATENCY, operations: { 'compute POST /v2.1/servers': 20_000 } };
    await using fairway = await TestFairway.start({ cloud: { latency } });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 10 });

    const waiting = await fairway.until(
      machines,
      (all) => all.length === 10 && all.every(({ status }) => status?.lastOperation?.description === NO_RESPONSE),
    );
    await fairway.clusterReady();

    expect(waiting).toHaveLength(10);
  });

  test('a machine that is deleted is replaced', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    const [victim, other] = await fairway.machines();

    await fairway.delete(machines, victim?.metadata.name ?? '');
    const left = await fairway.until(
      machines,
      (all) => all.length === 2 && !all.some(isSame(victim)) && all.every(isReady),
    );

    expect(left.some(isSame(other))).toBe(true);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2 });
  });

  test('a machine whose server was deleted in the cloud is replaced', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    const [victim] = await fairway.machines();

    await fairway.process.project.client.compute.servers.delete(victim?.status?.serverID ?? '');
    const left = await fairway.until(
      machines,
      (all) => all.length === 1 && !all.some(isSame(victim)) && all.every(isReady),
    );

    expect(left[0]?.status?.serverID).not.toBe(victim?.status?.serverID);
  });

  test('scaling down deletes marked and unhealthy machines first, then the youngest', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 3 });
    const [, marked] = await fairway.machines();
    const annotations = { [DELETE_FIRST_ANNOTATION]: '' };
    await fairway.patch(machines, marked?.metadata.name ?? '', { metadata: { annotations } });

    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    const left = await fairway.until(machines, (all) => all.length === 2);

    expect(left.some(isSame(marked))).toBe(false);
  });

  test('a pool that is deleted and recreated immediately gets its own machines', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    const old = await fairway.machines();

    await fairway.delete(nodePools, 'general');
    await eventuallyDeleted(fairway.client.resource(nodePools), { namespace: TEAM, name: 'general' });
    await fairway.createPool({ replicas: 1 });
    await fairway.poolReady();
    const now = await fairway.machines();

    expect(now).toHaveLength(1);
    expect(old.some((machine) => now.some(isSame(machine)))).toBe(false);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1 });
  });

  test('deleting a namespace deletes its clusters', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 2 });

    await fairway.client.resource(Namespaces).delete(TEAM);
    await eventuallyDeleted(fairway.client.resource(Namespaces), { name: TEAM });

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('a cluster deleted before its network exists leaves nothing behind', async () => {
    const slow = { operations: { network: 1_000 } };
    await using fairway = await TestFairway.start({ cloud: { latency: { ...NO_LATENCY, ...slow } } });
    const before = resourceCounts(fairway.cloud);
    await fairway.createCluster();
    await fairway.until(clusters, ([cluster]) => cluster?.metadata.finalizers !== undefined);

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('a cluster deleted while its servers are being built leaves nothing behind', async () => {
    const life = { ...NO_LATENCY.lifecycle, spawn: 600_000 };
    await using fairway = await TestFairway.start({ cloud: { latency: { ...NO_LATENCY, lifecycle: life } } });
    const before = resourceCounts(fairway.cloud);
    await fairway.createCluster();
    await fairway.createPool({ replicas: 3 });
    await fairway.until(
      machines,
      (all) => all.length === 3 && all.every(({ status }) => status?.serverStatus === 'BUILD'),
    );

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('scaling nodes does not affect the control plane', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.poolReady();

    const specs = fairway.runtime.requestedSpecs.map(
      ({ version, podCIDR, serviceCIDR, apiServer, dnsNames, ipAddresses }) =>
        JSON.stringify([version, podCIDR, serviceCIDR, apiServer, dnsNames, ipAddresses]),
    );
    expect(new Set(specs).size).toBe(1);
  });
});
