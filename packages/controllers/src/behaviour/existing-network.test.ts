import { RETRY_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

/** An existing tenant network: two IPv4 subnets, of which Nova uses the first, and an IPv6 one. */
async function existingNetwork(fairway: TestFairway, cidr = '10.77.1.0/24') {
  const { network } = fairway.process.project.client;
  const { id: networkID } = await network.networks.create({ name: 'theirs' });
  const subnet = async (range: string, more: object = {}) =>
    (await network.subnets.create({ name: 'theirs', network_id: networkID, ip_version: 4, cidr: range, ...more })).id;
  const otherSubnetID = await subnet('10.77.0.0/24');
  const subnetID = await subnet(cidr);
  await subnet('fd00:77::/64', { ip_version: 6, ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' });
  return {
    network,
    networkID,
    subnetID,
    otherID: otherSubnetID,
    spec: { networkID, subnetID, gateway: { mode: 'None' as const } },
  };
}

function portsOf(fairway: TestFairway, filter: object = {}) {
  return Array.fromAsync(fairway.process.project.client.network.ports.list(filter));
}

describe('nodes in an existing subnet', () => {
  test('have addresses in the cluster’s specified subnet, and its security group', async () => {
    await using fairway = await TestFairway.start();
    const { spec, subnetID } = await existingNetwork(fairway);

    const cluster = await fairway.readyCluster({ replicas: 3 }, { network: spec });
    const addresses = (await fairway.machines()).map(({ status }) => status?.addresses?.[0]);
    const ports = await portsOf(fairway);

    expect(cluster.status?.network).toMatchObject({ subnetID, nodesCIDR: '10.77.1.0/24' });
    expect(addresses).toEqual(
      Array.from({ length: 3 }, () => ({ type: 'InternalIP', address: expect.stringMatching(/^10\.77\.1\./) })),
    );
    expect(ports.map(({ security_groups }) => security_groups)).toEqual(
      Array.from({ length: 3 }, () => [cluster.status?.network?.securityGroupID]),
    );
  });

  test('are protected even if port security is disabled for the network', async () => {
    await using fairway = await TestFairway.start();
    const { spec, network, networkID } = await existingNetwork(fairway);
    await network.networks.update(networkID, { port_security_enabled: false });

    const cluster = await fairway.readyCluster({ replicas: 1 }, { network: spec });

    expect(await portsOf(fairway, { network_id: networkID })).toMatchObject([
      { port_security_enabled: true, security_groups: [cluster.status?.network?.securityGroupID] },
    ]);
  });

  test('wait if port security is disabled and another project owns the network', async () => {
    await using fairway = await TestFairway.start();
    const { spec, network, networkID } = await existingNetwork(fairway);
    await network.networks.update(networkID, { port_security_enabled: false });
    fairway.cloud.faults.add({
      service: 'network',
      method: 'POST',
      path: '/ports$',
      times: null,
      action: { kind: 'answer', status: 403 },
    });

    await fairway.createCluster({ network: spec });
    await fairway.createPool({ replicas: 1 });

    await fairway.untilReported(machines, 'SettingsNotEnforced', /its owner must enable it: openstack network set/);

    expect(await portsOf(fairway, { network_id: networkID })).toEqual([]);
  });

  test('can be combined with a separate subnet for load balancers, which must exist', async () => {
    await using fairway = await TestFairway.start();
    const { spec, otherID, network } = await existingNetwork(fairway);
    const requestedSpec = { ...spec, loadBalancersSubnetID: otherID };
    const cluster = await fairway.readyCluster({ replicas: 0 }, { network: requestedSpec });
    const { loadBalancersSubnetID } = cluster.status?.network ?? {};

    await network.subnets.delete(otherID);
    await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
    await fairway.untilReported(clusters, 'SubnetNotFound', /loadBalancersSubnetID: network .* has no subnet/);

    expect(loadBalancersSubnetID).toBe(otherID);
  });

  test('leave nothing behind when they are deleted, one by one or with their cluster', async () => {
    await using fairway = await TestFairway.start();
    const { spec } = await existingNetwork(fairway);
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 3 }, { network: spec });

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await fairway.until(machines, (left) => left.length === 1);
    const portCount = resourceCounts(fairway.cloud)['ports'];
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(portCount).toBe(1);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('reuse the subnet for a failed server’s new port, and leave no port behind', async () => {
    await using fairway = await TestFairway.start();
    const { spec } = await existingNetwork(fairway);
    fairway.cloud.faults.add({ action: { kind: 'serverError' }, times: 2 });

    await fairway.readyCluster({ replicas: 1 }, { network: spec });
    const [machine] = await fairway.machines();

    expect(machine?.status?.addresses?.[0]?.address).toMatch(/^10\.77\.1\./);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1, ports: 1 });
  });

  test('reuse a port whose create request received no response', async () => {
    await using fairway = await TestFairway.start();
    const { spec } = await existingNetwork(fairway);
    fairway.cloud.faults.add({
      service: 'network',
      method: 'POST',
      path: '/ports$',
      times: 2,
      action: { kind: 'drop', when: 'after' },
    });

    await fairway.readyCluster({ replicas: 2 }, { network: spec });

    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2, ports: 2 });
  });

  test('reuse the port if the process was killed before it created the server', async () => {
    await using fairway = await TestFairway.start();
    const { spec } = await existingNetwork(fairway);
    const rule = fairway.cloud.faults.add({
      service: 'compute',
      method: 'POST',
      path: '/servers$',
      times: null,
      action: { kind: 'answer', status: 503 },
    });
    await fairway.createCluster({ network: spec });
    await fairway.createPool({ replicas: 1 });
    await fairway.untilReported(machines, 'CloudUnavailable', /compute/);
    const [left] = await portsOf(fairway);

    await fairway.stopProcess();
    fairway.cloud.faults.remove(rule);
    await fairway.startProcess();
    await fairway.until(machines, ([machine]) => isReady(machine));

    expect((await portsOf(fairway)).map(({ id }) => id)).toEqual([left?.id]);
  });

  test('do not use another project’s port, even if it is tagged as belonging to a machine', async () => {
    await using fairway = await TestFairway.start();
    const { network, networkID, spec } = await existingNetwork(fairway);
    const { metadata } = await fairway.readyCluster({ replicas: 1 }, { network: spec });
    const [machine] = await fairway.machines();
    const description = ownerDescription('another-cluster', `port-${machine?.metadata.uid}`);
    const { id } = await network.ports.create({ network_id: networkID, description });

    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(metadata.uid).toBeDefined();
    expect((await portsOf(fairway)).map((port) => port.id)).toEqual([id]);
  });
});

describe('exhausted cloud resources have their own reasons', () => {
  test('addresses of an existing subnet', async () => {
    await using fairway = await TestFairway.start();
    const { network, spec, subnetID, networkID } = await existingNetwork(fairway, '10.77.1.0/30');
    const fixed_ips = [{ subnet_id: subnetID }];
    const { id } = await network.ports.create({ network_id: networkID, fixed_ips });
    await fairway.createCluster({ network: spec });
    await fairway.createPool({ replicas: 1 });

    await expect(
      fairway.untilReported(machines, 'AddressesExhausted', /^network: No more IP addresses available on network/),
    ).resolves.toBeUndefined();
    await fairway.untilReported(nodePools, 'AddressesExhausted', /No more IP addresses/);
    await network.ports.delete(id);
    await fairway.poolReady();
  });

  test("addresses of Fairway's own subnet", async () => {
    await using fairway = await TestFairway.start();
    const cluster = await fairway.readyCluster({ replicas: 0 }, { network: { nodesCIDR: '10.78.0.0/28' } });
    const { networkID = '' } = cluster.status?.network ?? {};
    const { network } = fairway.process.project.client;
    const blockingPorts = await Promise.all(
      Array.from({ length: 13 }, () => network.ports.create({ network_id: networkID })),
    );

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await expect(
      fairway.untilReported(machines, 'AddressesExhausted', /the node subnet has no free address: Build of instance/),
    ).resolves.toBeUndefined();
    await Promise.all(blockingPorts.map(({ id }) => network.ports.delete(id)));
    await fairway.poolReady();
  });

  test('hypervisors for nodes that each need their own', async () => {
    const zone = { name: 'nova-a', hosts: 2, hostVcpus: 64, hostRamMiB: 262_144, hostDiskGiB: 4_000 };
    await using fairway = await TestFairway.start({ cloud: { zones: [zone] } });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 3, antiAffinity: true });

    await expect(
      fairway.untilReported(
        machines,
        'AntiAffinityUnsatisfiable',
        /antiAffinity requires a separate one for each node of the pool/,
      ),
    ).resolves.toBeUndefined();
    await fairway.untilReported(nodePools, 'AntiAffinityUnsatisfiable', /no other hypervisor/);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    await fairway.poolReady();
  });

  test('capacity for the first node of a pool with anti-affinity', async () => {
    await using fairway = await TestFairway.start();
    fairway.cloud.faults.add({ action: { kind: 'outOfStock', flavor: 'b3-8' }, times: null });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 2, antiAffinity: true });

    await expect(fairway.untilReported(nodePools, 'FlavorOutOfStock', /no capacity/)).resolves.toBeUndefined();
  });

  test('a zone', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, availabilityZones: ['nova-gone'] });

    await expect(
      fairway.untilReported(machines, 'ZoneNotFound', /availability zone is not available; create another pool/),
    ).resolves.toBeUndefined();
    await fairway.untilReported(nodePools, 'ZoneNotFound', /availability zone/);
  });

  test('a volume type', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, rootVolume: { sizeGiB: 20, type: 'gone' } });

    await expect(
      fairway.untilReported(machines, 'VolumeTypeNotFound', /Volume type gone could not be found; set spec.rootVolume/),
    ).resolves.toBeUndefined();
    await fairway.patch(nodePools, 'general', { spec: { rootVolume: { sizeGiB: 20, type: 'classic' } } });
  });
});
