import { DELETE_FIRST_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventuallyGone } from '@fairway/kube/testing/eventually';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { describe, expect, test } from 'vitest';
import { holdings } from '../testing/cloud-contents.ts';
import { isReady, isSame, TEAM, TestFairway } from '../testing/test-fairway.ts';

const UNANSWERED = 'the cloud has not responded yet';

describe('a full lifecycle', () => {
  test('a cluster with a pool of three becomes Ready, and is deleted without a trace', async () => {
    await using fairway = await TestFairway.start();
    const before = holdings(fairway.cloud);

    const cluster = await fairway.readyCluster({ replicas: 3, antiAffinity: true, floatingIPs: { enabled: true } });
    const during = holdings(fairway.cloud);
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
    expect(holdings(fairway.cloud)).toEqual(before);
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
      (all) => all.length === 10 && all.every(({ status }) => status?.lastOperation?.description === UNANSWERED),
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
    expect(holdings(fairway.cloud)).toMatchObject({ servers: 2 });
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

  test('scaled down, a pool loses marked and unhealthy machines first, then the youngest', async () => {
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
    await eventuallyGone(fairway.client.resource(nodePools), { namespace: TEAM, name: 'general' });
    await fairway.createPool({ replicas: 1 });
    await fairway.poolReady();
    const now = await fairway.machines();

    expect(now).toHaveLength(1);
    expect(old.some((machine) => now.some(isSame(machine)))).toBe(false);
    expect(holdings(fairway.cloud)).toMatchObject({ servers: 1 });
  });

  test('deleting a namespace deletes its clusters', async () => {
    await using fairway = await TestFairway.start();
    const before = holdings(fairway.cloud);
    await fairway.readyCluster({ replicas: 2 });

    await fairway.client.resource(Namespaces).delete(TEAM);
    await eventuallyGone(fairway.client.resource(Namespaces), { name: TEAM });

    expect(holdings(fairway.cloud)).toEqual(before);
  });

  test('a cluster deleted before its network exists leaves nothing', async () => {
    const slow = { operations: { network: 1_000 } };
    await using fairway = await TestFairway.start({ cloud: { latency: { ...NO_LATENCY, ...slow } } });
    const before = holdings(fairway.cloud);
    await fairway.createCluster();
    await fairway.until(clusters, ([cluster]) => cluster?.metadata.finalizers !== undefined);

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(holdings(fairway.cloud)).toEqual(before);
  });

  test('a cluster deleted while its servers are being built leaves nothing', async () => {
    const life = { ...NO_LATENCY.life, spawn: 600_000 };
    await using fairway = await TestFairway.start({ cloud: { latency: { ...NO_LATENCY, life } } });
    const before = holdings(fairway.cloud);
    await fairway.createCluster();
    await fairway.createPool({ replicas: 3 });
    await fairway.until(
      machines,
      (all) => all.length === 3 && all.every(({ status }) => status?.serverStatus === 'BUILD'),
    );

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(holdings(fairway.cloud)).toEqual(before);
  });

  test('the number of nodes does not touch the control plane', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.poolReady();

    const specs = fairway.runtime.asked.map(({ version, podCIDR, serviceCIDR, apiServer, dnsNames, ipAddresses }) =>
      JSON.stringify([version, podCIDR, serviceCIDR, apiServer, dnsNames, ipAddresses]),
    );
    expect(new Set(specs).size).toBe(1);
  });
});
