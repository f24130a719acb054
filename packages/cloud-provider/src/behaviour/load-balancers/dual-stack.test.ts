import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, describe, expect, test } from 'vitest';
import {
  assignNodeAddresses,
  DUAL_STACK,
  makeSubnet,
  memberAddressesOf,
  onlyTree,
  PROVIDER,
  servedAddresses,
  sourceRangesOf,
  startWithVersion,
  V4,
  V6,
  warningsOf,
} from '../../load-balancers/testing/dual-stack.ts';
import type { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const UDP = [{ port: 80 }, { port: 53, protocol: 'UDP' }];
let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

describe('a Service with two families', () => {
  test.each([
    { ipFamilies: ['IPv4', 'IPv6'], at: ['203.0.112.*', 'fd00:7::*'] },
    { ipFamilies: ['IPv6', 'IPv4'], at: ['fd00:7::*', '203.0.112.*'] },
  ])('is reachable at both addresses of $ipFamilies, in their order', async ({ ipFamilies, at }) => {
    fairway = await startWithVersion();
    const ipv6Subnet = await makeSubnet(fairway);
    const calls = fairway.countCalls();

    await fairway.create('web', { ...DUAL_STACK, ipFamilies });
    await fairway.clock.pass(60_000);
    const { loadBalancer, listeners } = await onlyTree(fairway);
    const { 'GET /loadbalancers': _, ...otherCalls } = calls();
    const after = await servedAddresses(fairway);

    expect(after).toMatchObject({ at, ready: 'True' });
    expect(after.note).toBe((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip);
    expect([loadBalancer.vip_subnet_id, loadBalancer.additional_vips?.[0]?.subnet_id]).toContain(ipv6Subnet);
    expect(listeners.map(({ allowed_cidrs }) => allowed_cidrs)).toEqual([null]);
    expect(await memberAddressesOf(fairway, 'TCP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(otherCalls).toMatchObject({ 'POST /loadbalancers': 1, 'POST /floatingips': 1 });
    expect(await warningsOf(fairway)).toEqual([]);
  });

  test('has members of the nodes’ first family, and of both families for UDP', async () => {
    fairway = await startWithVersion();
    const ipv6Subnet = await makeSubnet(fairway);
    await assignNodeAddresses(fairway, ipv6Subnet);
    await fairway.create('web', { ...DUAL_STACK, ipFamilies: ['IPv6', 'IPv4'], ports: UDP });
    await fairway.clock.pass(60_000);
    const { members } = await onlyTree(fairway);
    const isPlacedByFamily = members
      .flat()
      .map(({ address, subnet_id }) => address.includes(':') === (subnet_id === ipv6Subnet));

    expect(await memberAddressesOf(fairway, 'TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await memberAddressesOf(fairway, 'UDP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
    expect(isPlacedByFamily).toEqual(isPlacedByFamily.map(() => true));
    expect(await warningsOf(fairway)).toEqual([]);
  });

  test('reports the ports for which no node has members', async () => {
    fairway = await startWithVersion();
    await makeSubnet(fairway);
    await fairway.create('web', { ...DUAL_STACK, ports: UDP });
    await fairway.clock.pass(60_000);

    expect(await memberAddressesOf(fairway, 'UDP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(await warningsOf(fairway)).toEqual([
      'LoadBalancerNoMembers the IPv6 address has no backends on UDP/53: no node has an IPv6 address',
    ]);
  });

  test.each([
    { ranges: [V4, V6], listeners: [V4, V6] },
    { ranges: ['0.0.0.0/0', V6], listeners: ['0.0.0.0/0', V6] },
  ])('allows traffic from $ranges', async ({ ranges, listeners }) => {
    fairway = await startWithVersion();
    await makeSubnet(fairway);
    await fairway.create('web', DUAL_STACK);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { loadBalancerSourceRanges: ranges } });
    await fairway.clock.pass(30_000);

    expect(await sourceRangesOf(fairway)).toEqual([listeners]);
  });

  test('uses the address in its spec, of either family', async () => {
    fairway = await startWithVersion();
    await makeSubnet(fairway);
    await fairway.create('web', { ...DUAL_STACK, loadBalancerIP: 'FD00:7:0::0077' });
    await fairway.clock.pass(60_000);
    const first = (await onlyTree(fairway)).loadBalancer;
    await fairway.patch('web', { spec: { loadBalancerIP: 'fd00:7::78' } });
    await fairway.clock.pass(120_000);

    expect(first.additional_vips).toMatchObject([{ ip_address: 'fd00:7::77' }]);
    expect((await onlyTree(fairway)).loadBalancer.additional_vips).toMatchObject([{ ip_address: 'fd00:7::78' }]);
    expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });

  test('has members of both families with OVN too', async () => {
    fairway = await startWithVersion();
    await assignNodeAddresses(fairway, await makeSubnet(fairway));
    await fairway.create('web', DUAL_STACK, { [PROVIDER]: 'ovn' });
    await fairway.clock.pass(60_000);

    expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await memberAddressesOf(fairway, 'TCP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
  });

  test.each([
    { family: 'IPv4', at: '203.0.112.*', open: '81 0.0.0.0/0' },
    { family: 'IPv6', at: 'fd00:7::*', open: '81 ::/0' },
  ])(
    'shares its load balancer with a Service of only $family, whose port is closed at the other address',
    async (each) => {
      fairway = await startWithVersion();
      await makeSubnet(fairway);
      await fairway.create('web', DUAL_STACK);
      await fairway.clock.pass(60_000);
      const named = { 'loadbalancer.openstack.org/load-balancer-id': (await onlyTree(fairway)).loadBalancer.id };
      await fairway.create('api', { ipFamilies: [each.family], ports: [{ port: 81 }] }, named, 30_200);
      await fairway.clock.pass(60_000);
      const { listeners } = await onlyTree(fairway);
      const open = listeners.map(
        ({ protocol_port: port, allowed_cidrs: ranges }) => `${port} ${ranges?.join() ?? 'all'}`,
      );

      expect(await servedAddresses(fairway, 'api')).toMatchObject({ at: [each.at], ready: 'True' });
      expect(open.sort()).toEqual(['80 all', each.open]);
    },
  );
});

describe('a Service with only IPv6', () => {
  test('gets an address of the network’s own IPv6 subnet, IPv6 members and no floating IP', async () => {
    fairway = await startWithVersion();
    await assignNodeAddresses(fairway, await makeSubnet(fairway));
    await fairway.create('web', { ipFamilies: ['IPv6'], loadBalancerSourceRanges: [V4, V6] });
    await fairway.clock.pass(60_000);

    expect(await servedAddresses(fairway)).toMatchObject({ at: ['fd00:7::*'], ready: 'True' });
    expect(await memberAddressesOf(fairway, 'TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await sourceRangesOf(fairway)).toEqual([[V6]]);
    expect(await fairway.floatingIps()).toEqual([]);
    expect((await warningsOf(fairway)).map((event) => event.split(' ')[0])).toEqual(['LoadBalancerFloatingIPSkipped']);
  });

  test('does not share the load balancer of a Service with only IPv4', async () => {
    fairway = await startWithVersion();
    await makeSubnet(fairway);
    await fairway.create('web', { ipFamilies: ['IPv6'] });
    await fairway.clock.pass(60_000);
    const named = { 'loadbalancer.openstack.org/load-balancer-id': (await onlyTree(fairway)).loadBalancer.id };
    await fairway.create('api', { ports: [{ port: 81 }] }, named, 30_200);
    await fairway.clock.pass(60_000);

    expect((await servedAddresses(fairway, 'api')).at).toEqual([]);
    expect((await servedAddresses(fairway, 'api')).ready).toContain('has no IPv4 address');
    expect((await onlyTree(fairway)).listeners.map(({ protocol_port }) => protocol_port)).toEqual([80]);
  });

  test('is refused without such a subnet', async () => {
    fairway = await startWithVersion();
    await fairway.create('web', { ipFamilies: ['IPv6'] });
    await fairway.clock.pass(60_000);

    expect((await servedAddresses(fairway)).ready).toMatch(
      /^False spec\.ipFamilies: network \S+ has no IPv6 subnet: add one/,
    );
    expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0 });
  });

  test('gets its address from the subnet or port in its annotations', async () => {
    fairway = await startWithVersion();
    const network = await fairway.network.networks.create({ name: 'elsewhere' });
    const at = { network_id: network.id, name: 'six', ip_version: 6 } as const;
    await fairway.network.subnets.create({ ...at, cidr: 'fd00:8::/64' });
    const second = await fairway.network.subnets.create({ ...at, cidr: 'fd00:9::/64' });
    const fixed_ips = [{ subnet_id: second.id, ip_address: 'fd00:9::99' }];
    const port = await fairway.network.ports.create({ network_id: network.id, fixed_ips });
    await fairway.create('web', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/subnet-id': second.id });
    await fairway.create('api', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/port-id': port.id }, 30_200);
    await fairway.clock.pass(60_000);

    expect((await servedAddresses(fairway, 'web')).at).toEqual(['fd00:9::*']);
    expect((await fairway.get('api')).status?.loadBalancer?.ingress).toMatchObject([{ ip: 'fd00:9::99' }]);
  });
});
