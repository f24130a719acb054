import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ImageSpec } from '@fairway/simulator/config';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../testing/cloud-contents.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('a cloud without port security by default', () => {
  test('has clusters whose networks enable it', async () => {
    await using fairway = await TestFairway.start({ cloud: { portSecurityByDefault: false } });

    const cluster = await fairway.readyCluster({ replicas: 1 });
    const network = await fairway.process.project.client.network.networks.get(cluster.status?.network?.networkID ?? '');

    expect(network.port_security_enabled).toBe(true);
  });

  test('gets port security enabled in a network that was created without it', async () => {
    await using fairway = await TestFairway.start();
    const cluster = await fairway.readyCluster({ replicas: 0 });
    const { networks } = fairway.process.project.client.network;
    const id = cluster.status?.network?.networkID ?? '';
    await networks.update(id, { port_security_enabled: false });

    await fairway.createPool({ replicas: 1 }, 'late');
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/retry': 'now' } } });

    const isOn = async () => (await networks.get(id)).port_security_enabled;
    await fairway.pollUntil(async () => (await isOn()) === true);

    expect(await isOn()).toBe(true);
  });
});

describe('a cloud that keeps deleted servers for a day', () => {
  const cloud = { reclaimInstanceIntervalMs: DAY_MS };
  const rootVolume = { sizeGiB: 50 };

  test('frees ports and boot volumes immediately when a cluster is deleted', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, cloud });
    const before = rowsOf(fairway.cloud);
    await clock.during(fairway.readyCluster({ replicas: 2, rootVolume }));

    await clock.during(
      fairway.delete(clusters, 'demo').then(() => fairway.until(clusters, (left) => left.length === 0)),
    );

    const { servers, ports, volumes, networks } = rowsOf(fairway.cloud);
    expect({ servers, ports, volumes, networks }).toEqual({
      servers: 0,
      ports: before['ports'],
      volumes: 0,
      networks: before['networks'],
    });
  });

  test('is queried again if the process was killed during the deletion of a server', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, cloud });
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    const [machine] = await fairway.machines();
    const { client } = fairway.process.project;
    await fairway.stopProcess();
    await clock.during(fairway.delete(machines, machine?.metadata.name ?? ''));
    await clock.during(client.compute.servers.delete(machine?.status?.serverID ?? ''));
    await clock.pass(MINUTE_MS);

    await clock.during(fairway.startProcess());
    await clock.pass(10 * MINUTE_MS);

    expect(rowsOf(fairway.cloud)).toMatchObject({ servers: 1, volumes: 1 });
    expect((await fairway.machines()).map(({ metadata }) => metadata.name)).not.toContain(machine?.metadata.name);
  });

  test('is reported with the required action, at little cost, if its policy forbids forced deletion', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, cloud: { ...cloud, forbidsForceDelete: true } });
    await clock.during(fairway.readyCluster({ replicas: 1, rootVolume }));
    const [machine] = await fairway.machines();
    await clock.during(fairway.delete(clusters, 'demo'));
    await clock.pass(10 * MINUTE_MS);
    const [waiting] = await fairway.machines();
    fairway.cloud.calls.reset();
    await clock.pass(60 * MINUTE_MS);
    const calls = fairway.cloud.calls.counts().filter(({ template }) => template.includes('/servers/{id}'));

    expect(findCondition(waiting?.status?.conditions, 'Ready')).toMatchObject({
      reason: 'PermissionDenied',
      message: expect.stringContaining(`openstack server delete --force ${machine?.status?.serverID}`),
    });
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(14);

    await clock.pass(DAY_MS);
    expect(await fairway.machines()).toEqual([]);
  });

  test('gets a node replaced if its server was deleted externally', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, cloud });
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    const [machine] = await fairway.machines();

    await clock.during(fairway.process.project.client.compute.servers.delete(machine?.status?.serverID ?? ''));
    await clock.pass(5 * MINUTE_MS);

    const messages = (await fairway.machines()).map(
      ({ status }) => findCondition(status?.conditions, 'Ready')?.message,
    );
    expect(messages.join()).not.toContain('is not listed');
  });
});

describe('a cloud with a server snapshot newer than its images', () => {
  const LATER_MS = Date.UTC(2026, 6, 1);
  const { images } = DEFAULT_CONFIG;
  const [jammy, noble] = images;
  const like = (spec: ImageSpec | undefined, more: Partial<ImageSpec>): ImageSpec[] =>
    spec ? [{ ...spec, createdMs: LATER_MS, project: 'demo', visibility: 'private', ...more }] : [];
  const cloud = {
    images: [
      ...images,
      ...like(noble, { id: 'backup', name: 'backup', properties: { ...noble?.properties, image_type: 'snapshot' } }),
      ...like(jammy, { id: 'twin' }),
    ],
  };

  test('boots the cloud’s image, even if the project has one with the same name', async () => {
    await using fairway = await TestFairway.start({ cloud });

    await fairway.createCluster();
    await fairway.createPool({ replicas: 1 });
    await fairway.createPool({ replicas: 1, image: jammy?.name ?? '' }, 'named');
    await fairway.until(machines, (all) => all.length === 2 && all.every(({ spec }) => spec.image));

    expect(new Set((await fairway.machines()).map(({ spec }) => spec.image))).toEqual(new Set([jammy?.id, noble?.id]));
  });
});

describe('a cloud with three public addresses', () => {
  const [start, end] = ['203.0.112.10', '203.0.112.13'];
  const cloud = { externalNetwork: { ...DEFAULT_CONFIG.externalNetwork, allocationPool: { start, end } } };

  test('has four Ready nodes and a report on the missing address and who must act, at the cost of few queries', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, cloud });
    await clock.during(fairway.readyCluster({ replicas: 4, floatingIPs: { enabled: true } }));
    await clock.pass(5 * MINUTE_MS);

    const all = await fairway.machines();
    const lacking = all.flatMap(({ status }) => findCondition(status?.conditions, 'FloatingIPReady') ?? []);
    expect(all.map(({ status }) => status?.phase)).toEqual(Array(4).fill('Ready'));
    expect(lacking).toMatchObject([
      {
        status: 'False',
        reason: 'AddressesExhausted',
        message: expect.stringMatching(/external network has no free public address: .* ask the cloud operator/),
      },
    ]);

    fairway.cloud.calls.reset();
    await clock.pass(60 * MINUTE_MS);
    const calls = fairway.cloud.calls.counts().filter(({ template }) => /floatingips|ports/.test(template));
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(120);
  });
});

describe('a subnet without DHCP', () => {
  test('gives its nodes a config drive, from which they read their addresses', async () => {
    await using fairway = await TestFairway.start();
    const { network, compute } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    const range = { network_id: networkID, ip_version: 4 as const, cidr: '10.77.0.0/24', enable_dhcp: false };
    await network.subnets.create({ ...range, name: 'theirs' });

    await fairway.readyCluster({ replicas: 1 }, { network: { networkID, gateway: { mode: 'None' } } });

    const servers = await Array.fromAsync(compute.servers.list());
    expect(servers.map(({ config_drive }) => config_drive)).toEqual(['True']);
  });

  test('is not created in Fairway’s own networks: their nodes need no config drive', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });

    const servers = await Array.fromAsync(fairway.process.project.client.compute.servers.list());
    expect(servers.map(({ config_drive }) => config_drive)).toEqual(['']);
  });
});
