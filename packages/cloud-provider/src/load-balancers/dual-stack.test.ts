import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { Events } from '@fairway/kube/kinds/resources';
import type { CloudConfig } from '@fairway/simulator/config';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BalancedFairway, LIFE } from './testing/balanced-fairway.ts';

/*
 * Services of two IP families, and of IPv6 alone. The API server of the tests takes any `ipFamilies`, as one of a cluster with Service ranges of both does.
 */

const latency = { ...NO_LATENCY, life: { ...NO_LATENCY.life, ...LIFE } };
const HOUR_MS = 3_600_000;
const DUAL = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
const PREFERRED = { ...DUAL, ipFamilyPolicy: 'PreferDualStack' };
const UDP = [{ port: 80 }, { port: 53, protocol: 'UDP' }];
const PROVIDER = 'loadbalancer.fairway.dev/provider';
const V4 = '198.51.100.0/24';
const V6 = '2001:db8::/32';

let fairway: BalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

/** `version`: the minor one of Octavia's API. */
async function start(version = 28, cloud: Partial<CloudConfig> = {}): Promise<void> {
  fairway = await BalancedFairway.start({ cloud: { latency, loadBalancerVersion: version, ...cloud } });
}

const networkID = () =>
  fairway.clock.during(fairway.fairway.clusterReady()).then(({ status }) => status?.network?.networkID ?? '');

/** Of the cluster's own network. */
async function makeSubnet(): Promise<string> {
  const subnet = { network_id: await networkID(), ip_version: 6, cidr: 'fd00:7::/64', name: 'six' } as const;
  return (await fairway.network.subnets.create(subnet)).id;
}

/** Gives all nodes addresses in the subnet, which a list of servers shows a minute later. */
async function addressNodes(subnetID: string): Promise<void> {
  for await (const { id, device_owner, fixed_ips } of fairway.network.ports.list()) {
    if (!device_owner.startsWith('compute:')) continue;
    await fairway.network.ports.update(id, { fixed_ips: [...fixed_ips, { subnet_id: subnetID }] });
  }
  await fairway.clock.pass(120_000);
}

async function served(name = 'web') {
  const { status, metadata } = await fairway.get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');
  return {
    at: (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip.replace(/\d+$|[0-9a-f]+$/, '*')),
    ready: ready && `${ready.status} ${ready.message}`.trim(),
    note: metadata.annotations?.['loadbalancer.openstack.org/load-balancer-address'],
  };
}

async function told(): Promise<readonly string[]> {
  const events = fairway.fairway.runtime.client(fairway.clusterUid).resource(Events);
  const { items } = await events.list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason} ${message}`);
}

const only = async () => {
  const [tree, ...others] = await fairway.trees();
  if (tree === undefined || others.length > 0) throw new Error(`there are ${others.length} others`);
  return tree;
};
const allowed = async () => (await only()).listeners.map(({ allowed_cidrs }) => allowed_cidrs ?? []);
const membersBehind = async (protocol: string) => {
  const { pools, members } = await only();
  const addresses = members[pools.findIndex((pool) => pool.protocol === protocol)]?.map(({ address }) => address) ?? [];
  return addresses.map((address) => address.replace(/\d+$|[0-9a-f]+$/, '*')).sort();
};

describe('a Service of two families', () => {
  test.each([
    { ipFamilies: ['IPv4', 'IPv6'], at: ['203.0.112.*', 'fd00:7::*'] },
    { ipFamilies: ['IPv6', 'IPv4'], at: ['fd00:7::*', '203.0.112.*'] },
  ])('$ipFamilies is reached at both addresses, in their order', async ({ ipFamilies, at }) => {
    await start();
    const six = await makeSubnet();
    const calls = fairway.countCalls();

    await fairway.create('web', { ...DUAL, ipFamilies });
    await fairway.clock.pass(60_000);
    const { loadBalancer, listeners } = await only();
    const { 'GET /loadbalancers': _, ...made } = calls();
    const after = await served();

    expect(after).toMatchObject({ at, ready: 'True' });
    expect(after.note).toBe((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip);
    expect([loadBalancer.vip_subnet_id, loadBalancer.additional_vips?.[0]?.subnet_id]).toContain(six);
    expect(listeners.map(({ allowed_cidrs }) => allowed_cidrs)).toEqual([null]);
    expect(await membersBehind('TCP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(made).toMatchObject({ 'POST /loadbalancers': 1, 'POST /floatingips': 1 });
    expect(await told()).toEqual([]);
  });

  test('has members of the first family that nodes have, and for UDP of both', async () => {
    await start();
    const six = await makeSubnet();
    await addressNodes(six);
    await fairway.create('web', { ...DUAL, ipFamilies: ['IPv6', 'IPv4'], ports: UDP });
    await fairway.clock.pass(60_000);
    const { members } = await only();
    const placed = members.flat().map(({ address, subnet_id }) => address.includes(':') === (subnet_id === six));

    expect(await membersBehind('TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await membersBehind('UDP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
    expect(placed).toEqual(placed.map(() => true));
    expect(await told()).toEqual([]);
  });

  test('is told which ports nobody is served on', async () => {
    await start();
    await makeSubnet();
    await fairway.create('web', { ...DUAL, ports: UDP });
    await fairway.clock.pass(60_000);

    expect(await membersBehind('UDP')).toEqual(['10.1.0.*', '10.1.0.*']);
    expect(await told()).toEqual([
      'LoadBalancerNoMembers nobody is served at the IPv6 address on UDP/53: no node has an address of IPv6',
    ]);
  });

  test.each([
    { ranges: [V4, V6], listeners: [V4, V6] },
    { ranges: ['0.0.0.0/0', V6], listeners: ['0.0.0.0/0', V6] },
  ])('lets in $ranges', async ({ ranges, listeners }) => {
    await start();
    await makeSubnet();
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { loadBalancerSourceRanges: ranges } });
    await fairway.clock.pass(30_000);

    expect((await allowed()).map((each) => [...each].sort())).toEqual([listeners]);
  });

  test('takes the address that it names, of either family', async () => {
    await start();
    await makeSubnet();
    await fairway.create('web', { ...DUAL, loadBalancerIP: 'FD00:7:0::0077' });
    await fairway.clock.pass(60_000);
    const first = (await only()).loadBalancer;
    await fairway.patch('web', { spec: { loadBalancerIP: 'fd00:7::78' } });
    await fairway.clock.pass(120_000);

    expect(first.additional_vips).toMatchObject([{ ip_address: 'fd00:7::77' }]);
    expect((await only()).loadBalancer.additional_vips).toMatchObject([{ ip_address: 'fd00:7::78' }]);
    expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });

  test('with OVN has members of both families too', async () => {
    await start();
    await addressNodes(await makeSubnet());
    await fairway.create('web', DUAL, { [PROVIDER]: 'ovn' });
    await fairway.clock.pass(60_000);

    expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await membersBehind('TCP')).toEqual(['10.1.0.*', '10.1.0.*', 'fd00:7::*', 'fd00:7::*']);
  });

  test.each([
    { family: 'IPv4', at: '203.0.112.*', open: '81 0.0.0.0/0' },
    { family: 'IPv6', at: 'fd00:7::*', open: '81 ::/0' },
  ])('shares its load balancer with one of $family alone, whose port is closed at the other address', async (each) => {
    await start();
    await makeSubnet();
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    const named = { 'loadbalancer.openstack.org/load-balancer-id': (await only()).loadBalancer.id };
    await fairway.create('api', { ipFamilies: [each.family], ports: [{ port: 81 }] }, named, 30_200);
    await fairway.clock.pass(60_000);
    const { listeners } = await only();
    const open = listeners.map(({ protocol_port: port, allowed_cidrs: ranges }) => `${port} ${ranges ?? 'all'}`);

    expect(await served('api')).toMatchObject({ at: [each.at], ready: 'True' });
    expect(open.sort()).toEqual(['80 all', each.open]);
  });
});

describe('where the second address can’t be', () => {
  interface Case {
    readonly is: string;
    readonly version?: number;
    readonly provider?: string;
    readonly hasSubnet?: boolean;
    readonly ranges?: string[];
    readonly says: RegExp;
  }
  const cases: readonly Case[] = [
    {
      is: 'no subnet',
      hasSubnet: false,
      says: /network \S+ has no subnet of IPv6: add one \(`openstack subnet create/,
    },
    {
      is: 'an old Octavia',
      version: 25,
      says: /Octavia has API version 2\.25, and load balancers with two addresses need 2\.26/,
    },
    { is: 'an Octavia that knows no ranges for it', version: 26, ranges: [V4, V6], says: /needs 2\.27; leave it out/ },
    { is: 'an old OVN', version: 26, provider: 'ovn', says: /2\.26, and load balancers with two addresses need 2\.27/ },
    {
      is: 'an OVN that mixes no members',
      version: 27,
      provider: 'ovn',
      says: /provider can't do more: .* does not support mixing/,
    },
  ];

  async function create({ version, provider, hasSubnet = true, ranges }: Case, families: object): Promise<void> {
    await start(version);
    if (hasSubnet) await addressNodes(await makeSubnet());
    const spec = { ...families, ...(ranges && { loadBalancerSourceRanges: ranges }) };
    await fairway.create('web', spec, provider === undefined ? {} : { [PROVIDER]: provider });
    await fairway.clock.pass(60_000);
  }

  test.each(cases)('a Service that prefers two is served at the first, and told: $is', async (each) => {
    await create(each, PREFERRED);

    expect(await served()).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
    expect((await only()).loadBalancer.additional_vips ?? []).toEqual([]);
    expect((await told()).filter((event) => event.startsWith('LoadBalancerSingleStack'))[0]).toMatch(each.says);
  });

  test.each(cases)('a Service that must have two has none, and is told: $is', async (each) => {
    await create(each, DUAL);

    expect((await served()).at).toEqual([]);
    expect((await served()).ready).toMatch(
      /^False spec\.ipFamilyPolicy: RequireDualStack: .*; or use PreferDualStack$/,
    );
    expect((await told()).join()).toMatch(each.says);
    expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  });

  test.each(cases.filter(({ is }) => is === 'no subnet' || is.startsWith('an OVN')))(
    'that costs little: $is',
    async (each) => {
      await create(each, DUAL);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      const sum = () =>
        fairway.fairway.cloud.calls.counts().reduce((total, { method, template, count }) => {
          return total + (method === 'POST' || /subnets|versions/.test(template) ? count : 0);
        }, 0);
      const before = sum();

      await fairway.clock.pass(HOUR_MS);

      expect(sum() - before).toBeLessThanOrEqual(60);
      expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);
    },
  );

  test.each([500, 403, 429])('a Neutron that answers $0 for an hour about subnets gets few calls', async (status) => {
    await start();
    await makeSubnet();
    const { cloud } = fairway.fairway;
    cloud.faults.add({ service: 'network', path: '/subnets', times: null, action: { kind: 'answer', status } });
    await fairway.create('web', DUAL);
    await fairway.clock.pass(600_000);
    const asked = () =>
      cloud.calls.counts().reduce((all, { template, count }) => all + (template.includes('subnets') ? count : 0), 0);
    const { resourceVersion } = (await fairway.get('web')).metadata;
    const before = asked();
    await fairway.clock.pass(HOUR_MS);
    const cost = asked() - before;
    const { metadata } = await fairway.get('web');
    cloud.faults.clear();
    await fairway.clock.pass(400_000);

    expect(cost).toBeLessThanOrEqual(120);
    expect(metadata.resourceVersion).toBe(resourceVersion);
    expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(holdings(cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  });

  test('a subnet that comes later is found by itself', async () => {
    await create({ is: '', hasSubnet: false, says: /./ }, DUAL);
    await makeSubnet();
    await fairway.clock.pass(360_000);

    expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });
});

describe('a Service that gets another family', () => {
  beforeEach(async () => {
    await start();
    await makeSubnet();
  });

  test.each([
    {
      policy: PREFERRED,
      ready: /^True$/,
      event: /^LoadBalancerSingleStack only IPv4 of spec\.ipFamilies is served: load balancer \S+ has no IPv6 address/,
    },
    {
      policy: DUAL,
      ready: /^False .*RequireDualStack: load balancer \S+ has no IPv6 address/,
      event: /^SyncLoadBalancerFailed .*RequireDualStack/,
    },
  ])(
    '$policy.ipFamilyPolicy stays as it is and is told, and what is made anew has both',
    async ({ policy, ready, event }) => {
      await fairway.create('web', { ipFamilies: ['IPv4'] });
      await fairway.clock.pass(60_000);
      const { loadBalancer } = await only();
      const [floatingIp] = await fairway.floatingIps();
      await fairway.patch('web', {
        spec: { ...policy, ports: [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_080 }] },
      });
      await fairway.clock.pass(60_000);
      const kept = await served();
      const grown = await only();
      const { resourceVersion } = (await fairway.get('web')).metadata;
      await fairway.clock.pass(HOUR_MS);
      const isQuiet = (await fairway.get('web')).metadata.resourceVersion === resourceVersion;
      await fairway.octavia.loadBalancers.deleteCascade(loadBalancer.id);
      await fairway.clock.pass(180_000);

      expect(kept.at).toEqual(['203.0.112.*']);
      expect(kept.ready).toMatch(ready);
      expect(await told()).toContainEqual(expect.stringMatching(event));
      // All else of the edit counts.
      expect([grown.loadBalancer.id, ...grown.listeners.map((each) => each.protocol_port)]).toEqual([
        loadBalancer.id,
        81,
      ]);
      expect(isQuiet).toBe(true);
      expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
      expect((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip).toBe(floatingIp?.floating_ip_address);
      expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    },
  );

  test('loses it again: its address is closed, and opened when it comes back', async () => {
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
    await fairway.clock.pass(30_000);
    const single = { ...(await served()), allowed: await allowed() };
    await fairway.patch('web', { spec: DUAL });
    await fairway.clock.pass(30_000);

    expect(single).toMatchObject({ at: ['203.0.112.*'], ready: 'True', allowed: [['0.0.0.0/0']] });
    expect(await served()).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await allowed()).toEqual([[]]);
    expect(await told()).toEqual([]);
  });
});

test('where an address can’t be closed, that is told, and ranges are refused rather than break it', async () => {
  await start(26);
  await makeSubnet();
  await fairway.create('web', DUAL);
  await fairway.clock.pass(60_000);
  await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
  await fairway.clock.pass(30_000);
  const single = await served();
  await fairway.patch('web', { spec: { loadBalancerSourceRanges: [V4] } });
  await fairway.clock.pass(30_000);

  expect(single).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
  expect(await allowed()).toEqual([[]]);
  expect((await only()).loadBalancer.provisioning_status).toBe('ACTIVE');
  expect(await told()).toEqual([
    expect.stringMatching(
      /^LoadBalancerUnchanged load balancer \S+ keeps its address fd00:7::\S+, which the Service does not ask for/,
    ),
    expect.stringMatching(/^SyncLoadBalancerFailed spec\.loadBalancerSourceRanges: the cloud can't limit who reaches/),
  ]);
});

describe('a Service of IPv6 alone', () => {
  test('has an address of the network’s own IPv6 subnet, no floating IP, and members of IPv6', async () => {
    await start();
    await addressNodes(await makeSubnet());
    await fairway.create('web', { ipFamilies: ['IPv6'], loadBalancerSourceRanges: [V4, V6] });
    await fairway.clock.pass(60_000);

    expect(await served()).toMatchObject({ at: ['fd00:7::*'], ready: 'True' });
    expect(await membersBehind('TCP')).toEqual(['fd00:7::*', 'fd00:7::*']);
    expect(await allowed()).toEqual([[V6]]);
    expect(await fairway.floatingIps()).toEqual([]);
    expect((await told()).map((event) => event.split(' ')[0])).toEqual(['LoadBalancerFloatingIPSkipped']);
  });

  test('is refused without such a subnet', async () => {
    await start();
    await fairway.create('web', { ipFamilies: ['IPv6'] });
    await fairway.clock.pass(60_000);

    expect((await served()).ready).toMatch(/^False spec\.ipFamilies: network \S+ has no subnet of IPv6: add one/);
    expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0 });
  });

  test('takes its address from the subnet or the port that it names', async () => {
    await start();
    const network = await fairway.network.networks.create({ name: 'elsewhere' });
    const at = { network_id: network.id, name: 'six', ip_version: 6 } as const;
    await fairway.network.subnets.create({ ...at, cidr: 'fd00:8::/64' });
    const second = await fairway.network.subnets.create({ ...at, cidr: 'fd00:9::/64' });
    const fixed_ips = [{ subnet_id: second.id, ip_address: 'fd00:9::99' }];
    const port = await fairway.network.ports.create({ network_id: network.id, fixed_ips });
    await fairway.create('web', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/subnet-id': second.id });
    await fairway.create('api', { ipFamilies: ['IPv6'] }, { 'loadbalancer.openstack.org/port-id': port.id }, 30_200);
    await fairway.clock.pass(60_000);

    expect((await served('web')).at).toEqual(['fd00:9::*']);
    expect((await fairway.get('api')).status?.loadBalancer?.ingress).toMatchObject([{ ip: 'fd00:9::99' }]);
  });
});
