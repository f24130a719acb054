import { clusters } from '@fairway/api/kinds/cluster';
import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, expect, test } from 'vitest';
import { Gateways, HttpRoutes } from '../../gateways/kinds.ts';
import { GATEWAY, GatewayFairway, prefix, ROUTE } from '../../gateways/testing/gateway-fairway.ts';
import { USAGE_LIST, withoutLists } from '../../load-balancers/testing/own-calls.ts';

/** How often the list that all load balancers share is read says nothing of one. */
const LIST = 'GET /loadbalancers';

let fairway: GatewayFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

test('a Gateway gets an address, and the paths of its routes lead to their Services', async () => {
  fairway = await GatewayFairway.withShop();

  const [tree] = await fairway.balanced.trees();
  const [floatingIp] = await fairway.balanced.floatingIps();
  expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  expect(await fairway.listeners()).toEqual({
    http: [
      'Accepted True Accepted',
      'Conflicted False NoConflicts',
      'ResolvedRefs True ResolvedRefs',
      'Programmed True Programmed',
    ],
  });
  expect((await fairway.get(Gateways, 'shop')).status?.listeners).toMatchObject([
    { attachedRoutes: 1, supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }] },
  ]);
  expect(await fairway.addresses()).toEqual([floatingIp?.floating_ip_address]);
  expect(await fairway.parents()).toEqual([['Accepted True Accepted', 'ResolvedRefs True ResolvedRefs']]);
  expect(tree?.loadBalancer.name).toBe('kube_gateway_demo_default_shop');
  expect(tree?.listeners).toMatchObject([{ protocol: 'HTTP', protocol_port: 80, default_pool_id: null }]);
  expect(await fairway.policies()).toEqual([
    '80 shop.example/api -> pool_default_api_80',
    '80 shop.example/ -> pool_default_web_80',
  ]);
  expect(await fairway.members()).toEqual({
    pool_default_web_80: ['30080*1', '30080*1'],
    pool_default_api_80: ['30090*1', '30090*1'],
  });
});

test('it leaves nothing when it is deleted, and clears its status on routes', async () => {
  fairway = await GatewayFairway.withShop();
  const before = holdings(fairway.balanced.fairway.cloud);

  await fairway.delete(Gateways, 'shop');
  await fairway.pass(60_000);

  expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  expect(holdings(fairway.balanced.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  expect(await fairway.names(Gateways)).toEqual([]);
  expect(await fairway.parents()).toEqual([]);
});

test('one that is deleted while Fairway is down is cleaned up when it is back', async () => {
  fairway = await GatewayFairway.withShop();
  const { fairway: whole } = fairway.balanced;
  await whole.stopProcess();

  await fairway.delete(Gateways, 'shop');
  await whole.startProcess();
  await fairway.pass(120_000);

  expect(holdings(whole.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  expect(await fairway.names(Gateways)).toEqual([]);
});

test('it is deleted with its cluster', async () => {
  fairway = await GatewayFairway.withShop();
  const { fairway: whole } = fairway.balanced;

  await whole.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(await whole.client.resource(clusters).list()).toMatchObject({ items: [] });
  expect(holdings(whole.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0, ports: 0, routers: 0 });
});

test('shares of requests are weights of members, and other shares are created beside them first', async () => {
  fairway = await GatewayFairway.withShop();

  await fairway.patch(HttpRoutes, 'shop', {
    spec: { rules: [prefix('/', { name: 'web', weight: 900 }, { name: 'api', weight: 100 })] },
  });
  await fairway.pass(60_000);
  const canary = await fairway.members();
  await fairway.patch(HttpRoutes, 'shop', {
    spec: { rules: [prefix('/', { name: 'web', weight: 1 }, { name: 'api', weight: 1 })] },
  });
  await fairway.pass(60_000);

  expect(Object.values(canary)).toEqual([['30080*256', '30080*256', '30090*28', '30090*28']]);
  expect(Object.values(await fairway.members())).toEqual([['30080*1', '30080*1', '30090*1', '30090*1']]);
});

test('a weight that is changed by hand is corrected', async () => {
  fairway = await GatewayFairway.withShop();
  const rule = prefix('/', { name: 'web', weight: 3 }, { name: 'api', weight: 1 });
  await fairway.patch(HttpRoutes, 'shop', { spec: { rules: [rule] } });
  await fairway.pass(60_000);
  const { pools } = fairway.balanced.octavia;
  const [pool] = await Array.fromAsync(pools.list());
  const members = await Array.fromAsync(pools.members(pool?.id ?? ''));

  const heavy = members.map(({ address, protocol_port, subnet_id }) => ({
    address,
    protocol_port,
    weight: 100,
    ...(subnet_id && { subnet_id }),
  }));
  await pools.replaceMembers(pool?.id ?? '', heavy);
  await fairway.pass(90_000);

  expect(Object.values(await fairway.members())).toEqual([['30080*3', '30080*3', '30090*1', '30090*1']]);
});

test('a redirect to HTTPS and another port are listeners and policies', async () => {
  fairway = await GatewayFairway.start();
  const listeners = [...GATEWAY.listeners, { name: 'inner', port: 8080, protocol: 'HTTP' }];
  await fairway.createGateway('shop', { ...GATEWAY, listeners });
  const redirect = { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } };
  await fairway.createRoute('redirect', {
    ...ROUTE,
    parentRefs: [{ name: 'shop', sectionName: 'http' }],
    rules: [{ filters: [redirect] }],
  });
  await fairway.createRoute('inner', { ...ROUTE, parentRefs: [{ name: 'shop', port: 8080 }] });
  await fairway.pass(60_000);

  expect(await fairway.policies()).toEqual([
    '80 shop.example/ -> https://shop.example',
    '8080 shop.example/api -> pool_default_api_80',
    '8080 shop.example/ -> pool_default_web_80',
  ]);
});

test('changes by hand are reverted within a minute', async () => {
  fairway = await GatewayFairway.withShop();
  const { l7Policies } = fairway.balanced.octavia;
  const [first] = (await Array.fromAsync(l7Policies.list())).toSorted((a, b) => a.position - b.position);
  await fairway.pass(70_000);

  await l7Policies.delete(first?.id ?? '');
  await fairway.pass(75_000);

  expect(await fairway.policies()).toHaveLength(2);
});

test('it costs a list a minute while idle, and writes nothing', async () => {
  fairway = await GatewayFairway.withShop();
  await fairway.pass(60_000);
  const calls = fairway.balanced.countCalls();
  const before = [await fairway.get(Gateways, 'shop'), await fairway.get(HttpRoutes, 'shop')];

  await fairway.pass(600_000);

  const after = [await fairway.get(Gateways, 'shop'), await fairway.get(HttpRoutes, 'shop')];
  expect(withoutLists(calls())).toEqual({});
  expect(calls()[LIST]).toBeLessThanOrEqual(12);
  expect(calls()[USAGE_LIST]).toBeLessThanOrEqual(2);
  expect(after.map(({ metadata }) => metadata.resourceVersion)).toEqual(
    before.map(({ metadata }) => metadata.resourceVersion),
  );
});

test('an internal one, and one with a floating IP of the project', async () => {
  fairway = await GatewayFairway.start();
  const { network } = fairway.balanced;
  const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  const own = await network.floatingIps.create({ floating_network_id: external?.id ?? '', description: 'mine' });
  await fairway.createGateway('inner', GATEWAY, {
    'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true',
  });
  const addresses = [{ type: 'IPAddress', value: own.floating_ip_address }];
  await fairway.createGateway('outer', { ...GATEWAY, addresses });
  await fairway.pass(60_000);
  const given = [await fairway.addresses('inner'), await fairway.addresses('outer')];
  await fairway.delete(Gateways, 'outer');
  await fairway.pass(60_000);

  const trees = await fairway.balanced.trees();
  expect(given).toEqual([[trees[0]?.loadBalancer.vip_address], [own.floating_ip_address]]);
  expect(await fairway.balanced.floatingIps()).toMatchObject([{ id: own.id, description: 'mine', port_id: null }]);
});
