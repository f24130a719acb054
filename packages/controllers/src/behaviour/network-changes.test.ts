import { RETRY_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { Subnet } from '@fairway/openstack/types/network';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { CloudTransport } from '../testing/cloud-transport.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

function networkOf(fairway: TestFairway) {
  return fairway.process.project.client.network;
}

function subnetOf(fairway: TestFairway, { status }: Cluster): Promise<Subnet> {
  return networkOf(fairway).subnets.get(status?.network?.subnetID ?? '');
}

/** The cluster once it matches its spec, after a change of its network. */
async function changed(fairway: TestFairway, network: object): Promise<Cluster> {
  const { metadata } = await fairway.patch(clusters, 'demo', { spec: { network } });
  const [cluster] = await fairway.until(
    clusters,
    ([found]) => found?.status?.observedGeneration === metadata.generation && isReady(found),
    'demo',
  );
  return cluster as Cluster;
}

/** Created by the cloud's administrator. */
async function secondExternalNetwork({ cloud, clock }: TestFairway): Promise<string> {
  const yaml = cloud.cloudsYaml();
  const file = { env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' }, cwd: '/', home: '/', readFile: () => yaml };
  const config = new CloudsYaml(file).get('simulator-admin');
  const transport = new CloudTransport(cloud);
  const admin = new CloudConnection({ config, clock, random: Math.random, readFile: () => '', transport });
  try {
    const { networks, subnets } = admin.client().network;
    const { id } = await networks.create({ name: 'second', 'router:external': true });
    await subnets.create({ network_id: id, ip_version: 4, cidr: '198.51.100.0/24' });
    return id;
  } finally {
    await admin.close();
  }
}

async function attachedRouters(fairway: TestFairway, cluster: Cluster): Promise<readonly string[]> {
  const filter = { network_id: cluster.status?.network?.networkID ?? '', device_owner: 'network:router_interface' };
  const ports = await Array.fromAsync(networkOf(fairway).ports.list(filter));
  return ports.map(({ device_id }) => device_id);
}

describe("a change of the cluster's network reaches Neutron", () => {
  test('name servers, including their removal', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 }, { network: { dnsNameservers: ['1.1.1.1'] } });

    const more = await changed(fairway, { dnsNameservers: ['9.9.9.9', '1.1.1.1'] });
    const two = (await subnetOf(fairway, more)).dns_nameservers;
    const cleared = await changed(fairway, { dnsNameservers: null });

    expect(two).toEqual(['9.9.9.9', '1.1.1.1']);
    expect((await subnetOf(fairway, cleared)).dns_nameservers).toEqual([]);
  });

  test('the gateway: from the router to none and back, while a node occupies the first address', async () => {
    await using fairway = await TestFairway.start();
    const before = resourceCounts(fairway.cloud);
    const created = await fairway.readyCluster({ replicas: 1 }, { network: { nodesCIDR: '10.78.0.0/28' } });

    const without = await changed(fairway, { gateway: { mode: 'None' } });
    const bare = {
      routers: resourceCounts(fairway.cloud)['routers'],
      gateway: (await subnetOf(fairway, without)).gateway_ip,
    };
    await networkOf(fairway).subnets.update(without.status?.network?.subnetID ?? '', {
      allocation_pools: [{ start: '10.78.0.1', end: '10.78.0.14' }],
    });
    const fixed_ips = [{ ip_address: '10.78.0.1' }];
    const blockingPort = await networkOf(fairway).ports.create({
      network_id: without.status?.network?.networkID ?? '',
      fixed_ips,
    });
    const again = await changed(fairway, { gateway: { mode: 'Router' } });

    expect(created.status?.network?.routerID).toBeDefined();
    expect(without.status?.network).not.toHaveProperty('routerID');
    expect(bare).toEqual({ routers: 0, gateway: null });
    expect(again.status?.network?.routerID).toBeDefined();
    expect((await subnetOf(fairway, again)).gateway_ip).toBe('10.78.0.14');
    expect(await attachedRouters(fairway, again)).toEqual([again.status?.network?.routerID]);
    await networkOf(fairway).ports.delete(blockingPort.id);
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('an existing gateway, and then another one', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 }, { network: { nodesCIDR: '10.78.0.0/24' } });

    const first = await changed(fairway, { gateway: { mode: 'Custom', address: '10.78.0.250' } });
    const then = (await subnetOf(fairway, first)).gateway_ip;
    const second = await changed(fairway, { gateway: { mode: 'Custom', address: '10.78.0.251' } });

    expect(then).toBe('10.78.0.250');
    expect((await subnetOf(fairway, second)).gateway_ip).toBe('10.78.0.251');
    expect(resourceCounts(fairway.cloud)['routers']).toBe(0);
  });

  test('a different router, which remains when the cluster is deleted', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    const { id } = await networkOf(fairway).routers.create({ name: 'theirs' });

    const cluster = await changed(fairway, { gateway: { routerID: id } });
    const attached = await attachedRouters(fairway, cluster);
    const count = resourceCounts(fairway.cloud)['routers'];
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(attached).toEqual([id]);
    expect(count).toBe(1);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ routers: 1, networks: 1 });
  });

  test('a different external network', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    const id = await secondExternalNetwork(fairway);

    const cluster = await changed(fairway, { gateway: { externalNetworkID: id } });

    expect(cluster.status?.network?.externalNetworkID).toBe(id);
  });

  test('external changes to Fairway’s own subnet and router are reverted', async () => {
    await using fairway = await TestFairway.start();
    const cluster = await fairway.readyCluster({ replicas: 1 }, { network: { dnsNameservers: ['1.1.1.1'] } });
    const { subnetID = '', routerID = '', externalNetworkID } = cluster.status?.network ?? {};
    const { subnets, routers } = networkOf(fairway);

    await subnets.update(subnetID, { dns_nameservers: ['6.6.6.6'] });
    await routers.update(routerID, { external_gateway_info: null });
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
    const subnetState = await pollUntilSettled(
      fairway.clock,
      () => subnets.get(subnetID),
      ({ dns_nameservers: [first] }) => first === '1.1.1.1',
    );
    const routerState = await pollUntilSettled(
      fairway.clock,
      () => routers.get(routerID),
      (router) => router.external_gateway_info != null,
    );

    expect(subnetState.dns_nameservers).toEqual(['1.1.1.1']);
    expect(routerState.external_gateway_info?.network_id).toBe(externalNetworkID);
  });
});

describe('a change that would break nodes is refused', () => {
  test('detaching the router while floating IPs depend on it, until they are turned off', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1, floatingIPs: { enabled: true } });
    const before = resourceCounts(fairway.cloud);

    await fairway.patch(clusters, 'demo', { spec: { network: { gateway: { mode: 'None' } } } });
    await fairway.untilReported(clusters, 'GatewayMissing', /pools have floating IPs that need router/);
    await fairway.untilReported(nodePools, 'GatewayMissing', /cluster has gateway mode None/);
    const during = resourceCounts(fairway.cloud);
    await fairway.patch(nodePools, 'general', { spec: { floatingIPs: { enabled: false } } });
    await fairway.clusterReady();

    expect(during).toEqual(before);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ routers: 0, floating_ips: 0 });
  });

  test('a gateway at the address of a node', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    const [machine] = await fairway.machines();
    const address = machine?.status?.address;

    await fairway.patch(clusters, 'demo', { spec: { network: { gateway: { mode: 'Custom', address } } } });

    await expect(
      fairway.untilReported(clusters, 'GatewayMissing', new RegExp(`${address} is the address of node`)),
    ).resolves.toBeUndefined();
  });

  test('a router whose other subnet overlaps', async () => {
    await using fairway = await TestFairway.start();
    const network = networkOf(fairway);
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    const cidr = '10.78.0.0/20';
    const { id: subnet_id } = await network.subnets.create({ network_id: networkID, ip_version: 4, cidr });
    const { id: routerID } = await network.routers.create({ name: 'theirs' });
    await network.routers.addInterface(routerID, { subnet_id });

    await fairway.createCluster({ network: { nodesCIDR: '10.78.1.0/24', gateway: { routerID } } });

    await expect(
      fairway.untilReported(clusters, 'AddressRangeOverlap', /overlaps with cidr 10\.78\.0\.0\/20/),
    ).resolves.toBeUndefined();
  });

  test('a subnet within the pod range, in mode None', async () => {
    await using fairway = await TestFairway.start();
    const network = networkOf(fairway);
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    await network.subnets.create({ network_id: networkID, ip_version: 4, cidr: '10.2.7.0/24' });

    await fairway.createCluster({ network: { networkID, gateway: { mode: 'None' } } });

    await expect(
      fairway.untilReported(clusters, 'AddressRangeOverlap', /10\.2\.7\.0\/24, which overlaps the pod network/),
    ).resolves.toBeUndefined();
  });

  test('a plan that needs the Internet, behind a router without a route to it', async () => {
    await using fairway = await TestFairway.start();
    const network = networkOf(fairway);
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    const { id: subnet_id } = await network.subnets.create({
      network_id: networkID,
      ip_version: 4,
      cidr: '10.78.0.0/24',
    });
    const { id } = await network.routers.create({ name: 'theirs' });
    await network.routers.addInterface(id, { subnet_id });
    await fairway.createCluster({ plan: 'standard', version: '1.35', network: { networkID } });

    await expect(
      fairway.untilReported(clusters, 'GatewayMissing', /router .* has no external gateway/),
    ).resolves.toBeUndefined();
    const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
    await network.routers.update(id, { external_gateway_info: { network_id: external?.id ?? '' } });
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
    await fairway.clusterReady();
  });
});

/** Reads every second until the state is as desired. */
async function pollUntilSettled<T>(clock: Clock, read: () => Promise<T>, isSettled: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const value = await read();
    if (isSettled(value)) return value;
    await clock.sleep(1_000);
  }
  throw new Error('it did not settle');
}

test('changes that one pass cannot revert are reverted by later passes, within minutes', async () => {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, random: seededRandom(4_242) });
  const { status } = await clock.during(fairway.readyCluster({ replicas: 0 }));
  const { securityGroups, securityGroupRules } = networkOf(fairway);
  const rules = async () => {
    const groups = await Array.fromAsync(securityGroups.list());
    return groups.find(({ id }) => id === status?.network?.securityGroupID)?.security_group_rules.length;
  };
  const before = await rules();
  fairway.cloud.setQuota('demo', { security_group_rules: 1_000 });
  // An external write to Fairway's own tags.
  const stray = { security_group_id: status?.network?.securityGroupID ?? '', description: 'Fairway: stray' } as const;
  const ports = Array.from({ length: 190 }, (_, index) => 20_000 + index);
  await securityGroupRules.createMany(
    ports.map((port) => ({
      ...stray,
      direction: 'ingress',
      ethertype: 'IPv4',
      protocol: 'tcp',
      port_range_min: port,
      port_range_max: port,
    })),
  );

  await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
  await clock.pass(5 * 60_000);

  expect(await rules()).toBe(before);
  expect(isReady(await fairway.client.resource(clusters).get('demo', { namespace: TEAM }))).toBe(true);
});
