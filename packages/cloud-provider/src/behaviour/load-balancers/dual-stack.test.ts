import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, describe, expect, test } from 'vitest';
import type { LoadBalancedFairway } from '../../load-balancers/testing/balanced-fairway.ts';
import {
  addressNodes,
  allowedIn,
  DUAL,
  makeSubnet,
  membersBehind,
  onlyTree,
  PROVIDER,
  servedOf,
  startWith,
  V4,
  V6,
  warningsOf,
} from '../../load-balancers/testing/dual-stack.ts';

const UDP = [{ port: 80 }, { port: 53, protocol: 'UDP' }];
let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

describe('a Service with two families', () => {
  test.each([
    { ipFamilies: ['IPv4', 'IPv6'], at: ['203.0.112.*', 'fd00:7::*'] },
    { ipFamilies: ['IPv6', 'IPv4'], at: ['fd00:7::*', '203.0.112.*'] },
  ])('$ipFamilies is reached at both addresses, in their order', async ({ ipFamilies, at }) => {
    fairway = await startWith();
    const six = await makeSubnet(fairway);
    const calls = fairway.countCalls();

    await fairway.create('web', { ...DUAL, ipFamilies });
    await fairway.clock.pass(60_000);
    const { loadBalancer, listeners } = await onlyTree(fairway);
    const { 'GET /loadbalancers': _, ...made } = calls();
    const after = await servedOf(fairway);

    expect(after).toMatchObject({ at, ready: 'True' });
    expect(after.note).toBe((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip);
    expect([loadBalancer.vip_subnet_id, loadBalancer.additional_vips?.[0]?.subnet_id]).toContain(six);
    expect(listeners.map(({ allowed_cidrs }) => allowed_cidrs)).toEqual([null]);
    expect(await membersBehind(fairway, 'TCP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(made).toMatchObject({ 'POST /loadbalancers': 1, 'POST /floatingips': 1 });
    expect(await warningsOf(fairway)).toEqual([]);
  });

  test('has members of the first family that nodes have, and for UDP of both', async () => {
    fairway = await startWith();
    const six = await makeSubnet(fairway);
    await addressNodes(fairway, six);
    await fairway.create('web', { ...DUAL, ipFamilies: ['IPv6', 'IPv4'], ports: UDP });
    await fairway.clock.pass(60_000);
    const { members } = await onlyTree(fairway);
    const placed = members.flat().map(({ address, subnet_id }) => address.includes(':') === (subnet_id === six));

    expect(await membersBehind(fairway, 'TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await membersBehind(fairway, 'UDP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
    expect(placed).toEqual(placed.map(() => true));
    expect(await warningsOf(fairway)).toEqual([]);
  });

  test('reports the ports on which no node is served', async () => {
    fairway = await startWith();
    await makeSubnet(fairway);
    await fairway.create('web', { ...DUAL, ports: UDP });
    await fairway.clock.pass(60_000);

    expect(await membersBehind(fairway, 'UDP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(await warningsOf(fairway)).toEqual([
      'LoadBalancerNoMembers the IPv6 address has no backends on UDP/53: no node has an IPv6 address',
    ]);
  });

  test.each([
    { ranges: [V4, V6], listeners: [V4, V6] },
    { ranges: ['0.0.0.0/0', V6], listeners: ['0.0.0.0/0', V6] },
  ])('lets in $ranges', async ({ ranges, listeners }) => {
    fairway = await startWith();
    await makeSubnet(fairway);
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { loadBalancerSourceRanges: ranges } });
    await fairway.clock.pass(30_000);

    expect(await allowedIn(fairway)).toEqual([listeners]);
  });

  test('uses the address that it names, of either family', async () => {
    fairway = await startWith();
    await makeSubnet(fairway);
    await fairway.create('web', { ...DUAL, loadBalancerIP: 'FD00:7:0::0077' });
    await fairway.clock.pass(60_000);
    const first = (await onlyTree(fairway)).loadBalancer;
    await fairway.patch('web', { spec: { loadBalancerIP: 'fd00:7::78' } });
    await fairway.clock.pass(120_000);

    expect(first.additional_vips).toMatchObject([{ ip_address: 'fd00:7::77' }]);
    expect((await onlyTree(fairway)).loadBalancer.additional_vips).toMatchObject([{ ip_address: 'fd00:7::78' }]);
    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });

  test('with OVN has members of both families too', async () => {
    fairway = await startWith();
    await addressNodes(fairway, await makeSubnet(fairway));
    await fairway.create('web', DUAL, { [PROVIDER]: 'ovn' });
    await fairway.clock.pass(60_000);

    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await membersBehind(fairway, 'TCP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
  });

  test.each([
    { family: 'IPv4', at: '203.0.112.*', open: '81 0.0.0.0/0' },
    { family: 'IPv6', at: 'fd00:7::*', open: '81 ::/0' },
  ])('shares its load balancer with one of only $family, whose port is closed at the other address', async (each) => {
    fairway = await startWith();
    await makeSubnet(fairway);
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    const named = { 'loadbalancer.openstack.org/load-balancer-id': (await onlyTree(fairway)).loadBalancer.id };
    await fairway.create('api', { ipFamilies: [each.family], ports: [{ port: 81 }] }, named, 30_200);
    await fairway.clock.pass(60_000);
    const { listeners } = await onlyTree(fairway);
    const open = listeners.map(
      ({ protocol_port: port, allowed_cidrs: ranges }) => `${port} ${ranges?.join() ?? 'all'}`,
    );

    expect(await servedOf(fairway, 'api')).toMatchObject({ at: [each.at], ready: 'True' });
    expect(open.sort()).toEqual(['80 all', each.open]);
  });
});

describe('a Service with only IPv6', () => {
  test('has an address of the network’s own IPv6 subnet, no floating IP, and members of IPv6', async () => {
    fairway = await startWith();
    await addressNodes(fairway, await makeSubnet(fairway));
    await fairway.create('web', { ipFamilies: ['IPv6'], loadBalancerSourceRanges: [V4, V6] });
    await fairway.clock.pass(60_000);

    expect(await servedOf(fairway)).toMatchObject({ at: ['fd00:7::*'], ready: 'True' });
    expect(await membersBehind(fairway, 'TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await allowedIn(fairway)).toEqual([[V6]]);
    expect(await fairway.floatingIps()).toEqual([]);
    expect((await warningsOf(fairway)).map((event) => event.split(' ')[0])).toEqual(['LoadBalancerFloatingIPSkipped']);
  });

  test('shares its load balancer with none that has only IPv4', async () => {
    fairway = await startWith();
    await makeSubnet(fairway);
    await fairway.create('web', { ipFamilies: ['IPv6'] });
    await fairway.clock.pass(60_000);
    const named = { 'loadbalancer.openstack.org/load-balancer-id': (await onlyTree(fairway)).loadBalancer.id };
    await fairway.create('api', { ports: [{ port: 81 }] }, named, 30_200);
    await fairway.clock.pass(60_000);

    expect((await servedOf(fairway, 'api')).at).toEqual([]);
    expect((await servedOf(fairway, 'api')).ready).toContain('has no IPv4 address');
    expect((await onlyTree(fairway)).listeners.map(({ protocol_port }) => protocol_port)).toEqual([80]);
  });

  test('is refused without such a subnet', async () => {
    fairway = await startWith();
    await fairway.create('web', { ipFamilies: ['IPv6'] });
    await fairway.clock.pass(60_000);

    expect((await servedOf(fairway)).ready).toMatch(/^False spec\.ipFamilies: network \S+ has no IPv6 subnet: add one/);
    expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0 });
  });

  test('takes its address from the subnet or the port that it names', async () => {
    fairway = await startWith();
    const network = await fairway.network.networks.create({ name: 'elsewhere' });
    const at = { network_id: network.id, name: 'six', ip_version: 6 } as const;
    await fairway.network.subnets.create({ ...at, cidr: 'fd00:8::/64' });
    const second = await fairway.network.subnets.create({ ...at, cidr: 'fd00:9::/64' });
    const fixed_ips = [{ subnet_id: second.id, ip_address: 'fd00:9::99' }];
    const port = await fairway.network.ports.create({ network_id: network.id, fixed_ips });
    await fairway.create('web', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/subnet-id': second.id });
    await fairway.create('api', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/port-id': port.id }, 30_200);
    await fairway.clock.pass(60_000);

    expect((await servedOf(fairway, 'web')).at).toEqual(['fd00:9::*']);
    expect((await fairway.get('api')).status?.loadBalancer?.ingress).toMatchObject([{ ip: 'fd00:9::99' }]);
  });
});
