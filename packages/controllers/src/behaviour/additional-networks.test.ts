import { gunzipSync } from 'node:zlib';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { findCondition } from '@fairway/kube/controller/conditions';
import { unpackUserData } from '@fairway/simulator/compute/user-data';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111';

/** A network in the project with one IPv4 subnet. */
async function aNetwork(fairway: TestFairway, cidr = '10.60.0.0/24', more: object = {}) {
  const { network } = fairway.process.project.client;
  const { id: networkID } = await network.networks.create({ name: 'data' });
  const { id: subnetID } = await network.subnets.create({
    name: 'data',
    network_id: networkID,
    ip_version: 4,
    cidr,
    ...more,
  });
  return { networkID, subnetID };
}

function portsOf(fairway: TestFairway, filter: object = {}) {
  return Array.fromAsync(fairway.process.project.client.network.ports.list(filter));
}

function serversOf(fairway: TestFairway) {
  return Array.fromAsync(fairway.process.project.client.compute.servers.list());
}

async function addressesOf(fairway: TestFairway) {
  const found = await fairway.machines();
  return found.map(({ status }) => status?.addresses?.map(({ type, address }) => `${type} ${address}`));
}

/** The only server's user data, as text. */
function userDataOf(fairway: TestFairway): string {
  const { servers = [] } = fairway.cloud.snapshot() as Readonly<
    Record<string, readonly { userData?: PackedUserData }[]>
  >;
  const packedUserData = servers[0]?.userData;
  if (packedUserData === undefined) throw new Error('there is no server');
  const userDataScript = Buffer.from(unpackUserData(packedUserData), 'base64');
  return (userDataScript[0] === 0x1f ? gunzipSync(userDataScript) : userDataScript).toString();
}

type PackedUserData = Parameters<typeof unpackUserData>[0];

describe('additional networks of a pool', () => {
  test('give each server one port per network, while the node’s address stays in the first network', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const other = await aNetwork(fairway, '10.61.0.0/24');

    const cluster = await fairway.readyCluster({ replicas: 2, networks: [{ networkID }, other] });
    const additional = await portsOf(fairway, { network_id: networkID });
    const [server] = await serversOf(fairway);
    const [addresses] = await addressesOf(fairway);

    expect(additional).toHaveLength(2);
    expect(additional.map(({ security_groups }) => security_groups)).toEqual([
      [cluster.status?.network?.securityGroupID],
      [cluster.status?.network?.securityGroupID],
    ]);
    expect(await portsOf(fairway, { network_id: other.networkID })).toHaveLength(2);
    expect(Object.values(server?.addresses ?? {}).flat()).toHaveLength(3);
    expect(addresses?.map((text) => text.replace(/\.\d+$/, ''))).toEqual([
      `InternalIP ${cluster.status?.network?.nodesCIDR?.replace(/\.\d+\/.*/, '')}`,
      'InternalIP 10.60.0',
      'InternalIP 10.61.0',
      expect.stringMatching(/^Hostname /),
    ]);
  });

  test('work with an existing network for the nodes', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const nodes = await aNetwork(fairway, '10.77.0.0/24');

    await fairway.readyCluster(
      { replicas: 1, networks: [{ networkID }] },
      { network: { ...nodes, gateway: { mode: 'None' } } },
    );
    const [addresses] = await addressesOf(fairway);

    expect(addresses).toEqual([
      expect.stringMatching(/^InternalIP 10\.77\./),
      expect.stringMatching(/^InternalIP 10\.60\./),
      expect.stringMatching(/^Hostname /),
    ]);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1, ports: 2 });
  });

  test('use the subnet that the pool specifies if a network has several', async () => {
    await using fairway = await TestFairway.start();
    const { network } = fairway.process.project.client;
    const { networkID } = await aNetwork(fairway);
    const second = { name: 'second', network_id: networkID, ip_version: 4, cidr: '10.60.1.0/24' } as const;
    const { id: subnetID } = await network.subnets.create(second);

    await fairway.readyCluster({ replicas: 1, networks: [{ networkID, subnetID }] });
    const [port] = await portsOf(fairway, { network_id: networkID });

    expect(port?.fixed_ips).toEqual([{ subnet_id: subnetID, ip_address: expect.stringMatching(/^10\.60\.1\./) }]);
  });

  test('are configured by the node itself, without a second default route', async () => {
    await using fairway = await TestFairway.start();
    const host_routes = [
      { destination: '0.0.0.0/0', nexthop: '10.60.0.1' },
      { destination: '10.2.0.0/24', nexthop: '10.60.0.1' },
      { destination: '192.0.2.0/24', nexthop: '10.60.0.9' },
    ];
    const { networkID } = await aNetwork(fairway, '10.60.0.0/24', { enable_dhcp: false, host_routes });
    await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });
    const [port] = await portsOf(fairway, { network_id: networkID });
    const text = userDataOf(fairway);

    expect(text).toContain(`MACAddress=${port?.mac_address}`);
    expect(text).toContain(`Address=${port?.fixed_ips[0]?.ip_address}/24`);
    expect(text).toContain('DHCP=no');
    expect(text.match(/Destination=.*/g)).toEqual(['Destination=192.0.2.0/24']);
  });

  test('are still attached to a reinstalled node', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });
    const [machine] = await fairway.machines();
    const before = userDataOf(fairway);
    const [port] = await portsOf(fairway, { network_id: networkID });

    await fairway.patch(machines, machine?.metadata.name ?? '', { spec: { reinstallTime: '2030-01-01T00:00:00Z' } });
    await fairway.until(machines, ([each]) => each?.status?.installed?.reinstallTime !== undefined && isReady(each));
    const after = userDataOf(fairway);

    expect(after).not.toBe(before);
    expect(after).toContain(`MACAddress=${port?.mac_address}`);
    expect(after).toContain(`Address=${port?.fixed_ips[0]?.ip_address}/24`);
  });

  test('have protected ports even if port security is disabled for the network', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    await fairway.process.project.client.network.networks.update(networkID, { port_security_enabled: false });

    const cluster = await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });

    expect(await portsOf(fairway, { network_id: networkID })).toMatchObject([
      { port_security_enabled: true, security_groups: [cluster.status?.network?.securityGroupID] },
    ]);
  });

  test('leave nothing behind when their servers are deleted individually, with the pool or with the cluster', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const before = resourceCounts(fairway.cloud);
    await fairway.readyCluster({ replicas: 3, networks: [{ networkID }] });

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await fairway.until(machines, (left) => left.length === 1);
    const additionalPorts = await portsOf(fairway, { network_id: networkID });
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(additionalPorts).toHaveLength(1);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });

  test('keep working after a failed server is rebuilt, without leftover ports', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    fairway.cloud.faults.add({ action: { kind: 'serverError' }, times: 2 });

    await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });

    expect(await portsOf(fairway, { network_id: networkID })).toHaveLength(1);
  });

  test('reuse ports whose create request received no response, one in each network', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const other = await aNetwork(fairway, '10.61.0.0/24');
    fairway.cloud.faults.add({
      service: 'network',
      method: 'POST',
      path: '/ports$',
      times: 3,
      action: { kind: 'drop', when: 'after' },
    });

    await fairway.readyCluster({ replicas: 2, networks: [{ networkID }, other] });

    expect(await portsOf(fairway, { network_id: networkID })).toHaveLength(2);
    expect(await portsOf(fairway, { network_id: other.networkID })).toHaveLength(2);
  });

  test.each([
    { what: 'the ports and the server', fault: { service: 'compute', path: '/servers$', nth: 1 } as const, left: 2 },
    { what: 'the first and the second port', fault: { service: 'network', path: '/ports$', nth: 2 } as const, left: 1 },
  ])('have their ports reused by the next process if Fairway is killed between $what', async ({ fault, left }) => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const other = await aNetwork(fairway, '10.61.0.0/24');
    const action = { kind: 'answer', status: 503 } as const;
    const rule = fairway.cloud.faults.add({ ...fault, method: 'POST', times: null, action });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, networks: [{ networkID }, other] });
    await fairway.untilReported(machines, 'CloudUnavailable', /./);
    const of = async () => [
      ...(await portsOf(fairway, { network_id: networkID })),
      ...(await portsOf(fairway, { network_id: other.networkID })),
    ];
    const createdIDs = (await of()).map(({ id }) => id);

    await fairway.stopProcess();
    fairway.cloud.faults.remove(rule);
    await fairway.startProcess();
    await fairway.until(machines, ([machine]) => isReady(machine));
    const after = (await of()).map(({ id }) => id);

    expect(createdIDs).toHaveLength(left);
    expect(after).toHaveLength(2);
    expect(after).toEqual(expect.arrayContaining(createdIDs));
  });

  test('cause nodes to be replaced if they change, but not if only their order changes', async () => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    const other = { networkID: (await aNetwork(fairway, '10.61.0.0/24')).networkID };
    await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });
    const [first] = await fairway.machines();

    await fairway.patch(nodePools, 'general', { spec: { networks: [{ networkID }, other] } });
    await fairway.until(machines, (all) => all.length === 1 && isReady(all[0]) && all[0]?.spec.networks?.length === 2);
    const [second] = await fairway.machines();
    await fairway.patch(nodePools, 'general', { spec: { networks: [other, { networkID }] } });
    const [pool] = await fairway.until(
      nodePools,
      ([each]) => each?.status?.observedGeneration === each?.metadata.generation && each?.status?.phase === 'Ready',
    );
    const [third] = await fairway.machines();

    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(third?.metadata.uid).toBe(second?.metadata.uid);
    expect(pool?.status?.updatedReplicas).toBe(1);
    expect(await portsOf(fairway, { network_id: networkID })).toHaveLength(1);
  });
});

describe('additional networks that a pool cannot use', () => {
  test('are reported, and the pool creates nothing until they exist', async () => {
    await using fairway = await TestFairway.start();
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'data' });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, networks: [{ networkID }] });

    await fairway.untilReported(nodePools, 'SubnetNotFound', /^spec\.networks\[0\]\.networkID: .*has no IPv4 subnet/);
    const before = await fairway.machines();
    await network.subnets.create({ name: 'data', network_id: networkID, ip_version: 4, cidr: '10.60.0.0/24' });
    await fairway.poolReady();

    expect(before).toEqual([]);
    expect(await portsOf(fairway, { network_id: networkID })).toHaveLength(1);
  });

  test.each([
    {
      what: 'a network that does not exist',
      networks: () => [{ networkID: UNKNOWN_ID }],
      reason: 'NetworkNotFound' as const,
      says: /^spec\.networks\[0\]\.networkID: .*the project has no such network/,
    },
    {
      what: 'an external network',
      networks: async (fairway: TestFairway) => {
        const { networks } = fairway.process.project.client.network;
        const [external] = await Array.fromAsync(networks.list({ 'router:external': true }));
        return [{ networkID: external?.id ?? '' }];
      },
      reason: 'NetworkNotFound' as const,
      says: /is external/,
    },
    {
      what: 'a network whose range overlaps the pods’',
      networks: async (fairway: TestFairway) => [{ networkID: (await aNetwork(fairway, '10.2.9.0/24')).networkID }],
      reason: 'AddressRangeOverlap' as const,
      says: /overlaps the pod network/,
    },
    {
      what: "the nodes' own network",
      networks: async (fairway: TestFairway) => {
        const cluster = await fairway.clusterReady();
        return [{ networkID: cluster.status?.network?.networkID ?? '' }];
      },
      reason: 'NetworkNotFound' as const,
      says: /is the network of the cluster's nodes/,
    },
  ])('$what', async ({ networks, reason, says }) => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    const poolNetworks = await networks(fairway);
    fairway.cloud.calls.reset();

    await fairway.patch(nodePools, 'general', { spec: { replicas: 2, networks: poolNetworks } });
    await fairway.untilReported(nodePools, reason, says);
    const [machine, ...more] = await fairway.machines();

    // Existing nodes remain.
    expect(more).toEqual([]);
    expect(isReady(machine)).toBe(true);
  });

  test.each([
    {
      what: 'fewer networks',
      plan: { nodePools: { maxNetworks: 0 } },
      says: /^spec\.networks: plan "free" allows none: remove them/,
    },
    {
      what: 'only other networks',
      plan: { allowed: { networks: ['shared-*'] } },
      says: /^spec\.networks\[0\]\.networkID: .* allows the networks "shared-\*"/,
    },
  ])('prevent more nodes if the plan allows $what', async ({ plan, says }) => {
    await using fairway = await TestFairway.start();
    const { networkID } = await aNetwork(fairway);
    await fairway.readyCluster({ replicas: 1, networks: [{ networkID }] });

    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: plan } });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
    await fairway.untilReported(nodePools, 'PlanLimitExceeded', says);

    expect(await fairway.machines()).toHaveLength(1);
  });

  test('report exhausted addresses just like the node network', async () => {
    await using fairway = await TestFairway.start();
    const { network } = fairway.process.project.client;
    const { networkID, subnetID } = await aNetwork(fairway, '10.60.0.0/30');
    const { id } = await network.ports.create({ network_id: networkID, fixed_ips: [{ subnet_id: subnetID }] });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1, networks: [{ networkID }] });

    await fairway.untilReported(machines, 'AddressesExhausted', /No more IP addresses available on network/);
    await network.ports.delete(id);
    await fairway.patch(nodePools, 'general', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
    await fairway.poolReady();
    const [pool] = await fairway.until(nodePools, ([each]) => each !== undefined);

    expect(findCondition(pool?.status?.conditions, 'Ready')?.status).toBe('True');
  });
});
