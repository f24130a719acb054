import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { Nodes } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { Cloud } from '@fairway/openstack/cloud';
import { startTestCloud, TEST_PASSWORD, type TestCloud } from '@fairway/simulator/test-cloud';
import { expect, it } from 'vitest';
import { HollowNodeFleet } from '../../node/hollow-node-fleet.ts';
import { openStackFleetCloud } from '../../node/openstack-fleet-cloud.ts';
import { NodeCluster, userDataOf } from '../../node/testing/node-cluster.ts';

const DEFAULT_DOMAIN = { id: 'default' };

/** A simulated cloud, a control plane, and an administrator's fleet that connects them. */
class TestEnvironment implements AsyncDisposable {
  readonly cluster: NodeCluster;
  readonly test: TestCloud;
  readonly fleet: HollowNodeFleet;
  readonly #cloud: Cloud;
  /** Makes lists fail. */
  isCloudDown = false;
  #networkId = '';

  private constructor(cluster: NodeCluster, test: TestCloud) {
    this.cluster = cluster;
    this.test = test;
    this.#cloud = new Cloud({
      config: {
        name: 'simulator-admin',
        authUrl: `${test.origin}/identity/v3`,
        credential: {
          kind: 'password',
          user: { name: 'admin', domain: DEFAULT_DOMAIN },
          password: TEST_PASSWORD,
          scope: { kind: 'project', project: { name: 'admin', domain: DEFAULT_DOMAIN } },
        },
        region: undefined,
        interface: 'public',
        tls: { verify: true },
        endpointOverrides: {},
        computeMicroversion: undefined,
      },
      clock: systemClock,
      random: () => 0.5,
      readFile: () => '',
    });
    const openStack = openStackFleetCloud(this.#cloud.client());
    this.fleet = new HollowNodeFleet({
      cloud: {
        ...openStack,
        list: (signal) => {
          if (this.isCloudDown) throw new Error('503 Service Unavailable');
          return openStack.list(signal);
        },
      },
      disks: cluster.disks,
      clock: cluster.clock,
      random: () => 0.5,
      log: silentLogger,
      createTransport: (options) => cluster.transport(options),
      hasPanicked: (serverId) => test.cloud.hasPanicked(serverId),
      console: (serverId, line) => cluster.console.push(`${serverId} ${line}`),
    });
  }

  static async start(): Promise<TestEnvironment> {
    const environment = new TestEnvironment(await NodeCluster.start(), await startTestCloud());
    const { demo } = environment.test;
    const network = await demo.make('/network/v2.0/networks', { network: { name: 'n1' } });
    await demo.make('/network/v2.0/subnets', {
      subnet: { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24' },
    });
    environment.#networkId = network.id;
    return environment;
  }

  /** A running server that belongs to the tenant. */
  async server(name: string, userData: string, more: object = {}): Promise<string> {
    const { demo } = this.test;
    const flavors = (await demo.call('GET', '/compute/v2.1/flavors')).body['flavors'] as unknown as {
      id: string;
      name: string;
    }[];
    const images = (await demo.call('GET', '/image/v2/images')).body['images'] as unknown as { id: string }[];
    const { id } = await demo.make('/compute/v2.1/servers', {
      server: {
        name,
        flavorRef: flavors.find((flavor) => flavor.name === 'b3-8')?.id,
        imageRef: images[0]?.id,
        networks: [{ uuid: this.#networkId }],
        user_data: userData,
        ...more,
      },
    });
    await this.test.clock.advance(1);
    return id;
  }

  /** A network whose subnet has DHCP enabled or disabled. */
  async network(enable_dhcp: boolean): Promise<string> {
    const { demo } = this.test;
    const { id } = await demo.make('/network/v2.0/networks', { network: { name: 'n2' } });
    const subnet = { network_id: id, ip_version: 4, cidr: '10.1.0.0/24', enable_dhcp };
    await demo.make('/network/v2.0/subnets', { subnet });
    return id;
  }

  async act(serverId: string, action: object): Promise<void> {
    const headers = { 'OpenStack-API-Version': 'compute 2.17' };
    await this.test.demo.call('POST', `/compute/v2.1/servers/${serverId}/action`, action, headers);
    await this.test.clock.advance(1);
  }

  /** The simulated cloud's notification that a server has changed. */
  async poke(): Promise<void> {
    this.fleet.poke();
    await this.cluster.clock.advance(10);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.stop();
    await this.cluster[Symbol.asyncDispose]();
    await this.#cloud.close();
    await this.test.cloud.close();
  }
}

it("boots a node on a tenant's server, with the server's capacity and addresses", async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  const plain = await environment.server('somebody-elses', Buffer.from('#cloud-config\n').toString('base64'));
  fleet.start();

  const node = await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-1' }, ({ status }) =>
    Boolean(status?.capacity),
  );

  expect(node.status).toMatchObject({
    capacity: { cpu: '2', memory: '8Gi', 'ephemeral-storage': '50Gi' },
    addresses: [
      { type: 'InternalIP', address: '10.0.0.2' },
      { type: 'Hostname', address: 'node-1' },
    ],
    nodeInfo: { systemUUID: id },
  });
  expect(fleet.node(plain)).toBeUndefined();
});

it.each([
  { enable_dhcp: true, config_drive: false, joins: true },
  { enable_dhcp: false, config_drive: true, joins: true },
  { enable_dhcp: false, config_drive: false, joins: false },
])(
  'a server with DHCP $enable_dhcp and config drive $config_drive joins: $joins',
  async ({ enable_dhcp, config_drive, joins }) => {
    await using environment = await TestEnvironment.start();
    const { fleet } = environment;
    const networks = [{ uuid: await environment.network(enable_dhcp) }];
    const id = await environment.server('node-1', userDataOf('node-1'), { networks, config_drive });
    const later = await environment.server('node-2', userDataOf('node-2'));
    fleet.start();
    await expect.poll(() => fleet.phases.get(later)).toBe('running');

    await expect.poll(() => fleet.hasServer(id)).toBe(true);
    expect(fleet.node(id) !== undefined).toBe(joins);
  },
);

it('follows servers that are stopped, started and deleted', async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet, test } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  fleet.start();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');

  await environment.act(id, { 'os-stop': null });
  await environment.poke();
  await expect.poll(() => fleet.phases.get(id)).toBe('off');
  const { status } = await cluster.client.resource(Nodes).get('node-1');
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe('node is shutting down');

  await environment.act(id, { 'os-start': null });
  await environment.poke();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');

  await test.demo.call('DELETE', `/compute/v2.1/servers/${id}`);
  await test.clock.advance(1);
  await environment.poke();
  await expect.poll(() => fleet.phases.has(id)).toBe(false);
  await expect.poll(() => cluster.disks.read(id)).toBeUndefined();
});

it('keeps a node silent after a panic until its server is rebooted, even though the server is ACTIVE', async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet, test } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  fleet.start();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');
  const readiness = async () => {
    const { status } = await cluster.client.resource(Nodes).get('node-1');
    return status?.conditions?.find(({ type }) => type === 'Ready');
  };
  // No controller allocates a pod CIDR here, so the node selects one itself after a while.
  await cluster.clock.advance(11_000);
  await expect.poll(readiness).toMatchObject({ status: 'True' });
  const before = await readiness();

  await environment.act(id, { trigger_crash_dump: null });
  await environment.poke();
  await expect.poll(() => fleet.phases.get(id)).toBe('off');
  expect((await test.demo.call('GET', `/compute/v2.1/servers/${id}`)).body['server']).toMatchObject({
    status: 'ACTIVE',
  });
  const requests = cluster.requests;
  await cluster.clock.advance(400_000);
  expect(cluster.requests).toBe(requests);
  expect(await readiness()).toEqual(before);

  await environment.act(id, { reboot: { type: 'HARD' } });
  await environment.poke();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');
});

it('reinstalls a rebuilt server, even with the same image and after an unobserved rebuild', async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet, test } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  fleet.start();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');
  const installedOn = async () => (await cluster.disks.read(id))?.client?.certificate;
  const bootID = async () => (await cluster.client.resource(Nodes).get('node-1')).status?.nodeInfo?.bootID;
  await expect.poll(bootID).toMatch(/./);
  const before = { certificate: await installedOn(), bootID: await bootID() };

  const { body } = await test.demo.call('GET', '/image/v2/images');
  const [{ id: imageRef } = { id: '' }] = body['images'] as unknown as readonly { id: string }[];
  const token = 'second.0123456789abcdef';
  await cluster.addToken(token);
  const rebuild = { imageRef, user_data: userDataOf('node-1', { token }), metadata: { reinstall: '1' } };
  const path = `/compute/v2.1/servers/${id}/action`;
  await test.demo.call('POST', path, { rebuild }, { 'OpenStack-API-Version': 'compute 2.57' });
  await test.clock.advance(1);
  await environment.poke();

  await expect.poll(bootID).not.toBe(before.bootID);
  expect(await installedOn()).not.toBe(before.certificate);
});

it('lists once a minute when idle', async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet, test } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  fleet.start();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');
  const lists = () => test.cloud.calls.recentCalls().filter(({ path }) => path.includes('/servers/detail')).length;
  const before = lists();

  await cluster.clock.advance(50_000);
  expect(lists()).toBe(before);
  await cluster.clock.advance(15_000);
  await expect.poll(lists).toBe(before + 1);
});

it('keeps its nodes while the cloud is unreachable', async () => {
  await using environment = await TestEnvironment.start();
  const { cluster, fleet } = environment;
  const id = await environment.server('node-1', userDataOf('node-1'));
  fleet.start();
  await expect.poll(() => fleet.phases.get(id)).toBe('running');

  environment.isCloudDown = true;
  await environment.poke();
  expect(fleet.phases.get(id)).toBe('running');
  environment.isCloudDown = false;
  const second = await environment.server('node-2', userDataOf('node-2'));
  await cluster.clock.advance(65_000);

  await expect.poll(() => fleet.phases.get(second)).toBe('running');
});
