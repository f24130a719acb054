import { clusters } from '@fairway/api/kinds/cluster';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, expect, test } from 'vitest';
import { Gateways, HttpRoutes } from '../../gateways/kinds.ts';
import { GATEWAY, GatewayFairway, prefix, ROUTE } from '../../gateways/testing/gateway-fairway.ts';
import { USAGE_LIST, withoutLists } from '../../load-balancers/testing/call-counts.ts';

/** The list shared by all load balancers is read at intervals, independently of any one load balancer. */
const LIST_CALL = 'GET /loadbalancers';

let fairway: GatewayFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

test('assigns a Gateway an address and routes paths to their Services', async () => {
  fairway = await GatewayFairway.startWithShop();

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

test('leaves nothing behind when a Gateway is deleted, and clears its status on routes', async () => {
  fairway = await GatewayFairway.startWithShop();
  const before = resourceCounts(fairway.balanced.fairway.cloud);

  await fairway.delete(Gateways, 'shop');
  await fairway.pass(60_000);

  expect(before).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  expect(resourceCounts(fairway.balanced.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  expect(await fairway.names(Gateways)).toEqual([]);
  expect(await fairway.parents()).toEqual([]);
});

test('cleans up after a Gateway that is deleted while Fairway is down', async () => {
  fairway = await GatewayFairway.startWithShop();
  const { fairway: testFairway } = fairway.balanced;
  await testFairway.stopProcess();

  await fairway.delete(Gateways, 'shop');
  await testFairway.startProcess();
  await fairway.pass(120_000);

  expect(resourceCounts(testFairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  expect(await fairway.names(Gateways)).toEqual([]);
});

test('deletes a Gateway with its cluster', async () => {
  fairway = await GatewayFairway.startWithShop();
  const { fairway: testFairway } = fairway.balanced;

  await testFairway.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(await testFairway.client.resource(clusters).list()).toMatchObject({ items: [] });
  expect(resourceCounts(testFairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0, ports: 0, routers: 0 });
});

test('sets member weights from request shares, and creates new members before it removes old ones', async () => {
  fairway = await GatewayFairway.startWithShop();

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

test('reverts a manually changed weight', async () => {
  fairway = await GatewayFairway.startWithShop();
  const rule = prefix('/', { name: 'web', weight: 3 }, { name: 'api', weight: 1 });
  await fairway.patch(HttpRoutes, 'shop', { spec: { rules: [rule] } });
  await fairway.pass(60_000);
  const { pools } = fairway.balanced.octavia;
  const [pool] = await Array.fromAsync(pools.list());
  const members = await Array.fromAsync(pools.members(pool?.id ?? ''));

  const weighted = members.map(({ address, protocol_port, subnet_id }) => ({
    address,
    protocol_port,
    weight: 100,
    ...(subnet_id && { subnet_id }),
  }));
  await pools.replaceMembers(pool?.id ?? '', weighted);
  await fairway.pass(90_000);

  expect(Object.values(await fairway.members())).toEqual([['30080*3', '30080*3', '30090*1', '30090*1']]);
});

test('implements redirects to HTTPS and to another port with listeners and policies', async () => {
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

test('reverts manual changes within a minute', async () => {
  fairway = await GatewayFairway.startWithShop();
  const { l7Policies } = fairway.balanced.octavia;
  const [first] = (await Array.fromAsync(l7Policies.list())).toSorted((a, b) => a.position - b.position);
  await fairway.pass(70_000);

  await l7Policies.delete(first?.id ?? '');
  await fairway.pass(75_000);

  expect(await fairway.policies()).toHaveLength(2);
});

test('an idle Gateway costs one list call a minute and no writes', async () => {
  fairway = await GatewayFairway.startWithShop();
  await fairway.pass(60_000);
  const calls = fairway.balanced.countCalls();
  const before = [await fairway.get(Gateways, 'shop'), await fairway.get(HttpRoutes, 'shop')];

  await fairway.pass(600_000);

  const after = [await fairway.get(Gateways, 'shop'), await fairway.get(HttpRoutes, 'shop')];
  expect(withoutLists(calls())).toEqual({});
  expect(calls()[LIST_CALL]).toBeLessThanOrEqual(12);
  expect(calls()[USAGE_LIST]).toBeLessThanOrEqual(2);
  expect(after.map(({ metadata }) => metadata.resourceVersion)).toEqual(
    before.map(({ metadata }) => metadata.resourceVersion),
  );
});

test('serves an internal Gateway, and one with a floating IP from the project', async () => {
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
  const assignedAddresses = [await fairway.addresses('inner'), await fairway.addresses('outer')];
  await fairway.delete(Gateways, 'outer');
  await fairway.pass(60_000);

  const trees = await fairway.balanced.trees();
  expect(assignedAddresses).toEqual([[trees[0]?.loadBalancer.vip_address], [own.floating_ip_address]]);
  expect(await fairway.balanced.floatingIps()).toMatchObject([{ id: own.id, description: 'mine', port_id: null }]);
});
