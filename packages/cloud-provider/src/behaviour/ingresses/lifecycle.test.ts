import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, expect, test } from 'vitest';
import { prefix, RoutedFairway, SPEC } from '../../ingresses/testing/routed-fairway.ts';
import { USAGE_LIST, withoutLists } from '../../load-balancers/testing/call-counts.ts';

/** The list shared by all load balancers is read at intervals, independently of any one load balancer. */
const LIST_CALL = 'GET /loadbalancers';

const paths = (...all: ReturnType<typeof prefix>[]) => ({
  spec: { rules: [{ host: 'shop.example', http: { paths: all } }] },
});

let fairway: RoutedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

test('assigns an address to an Ingress and routes its paths to their Services, in one call for the load balancer tree and one for the address', async () => {
  fairway = await RoutedFairway.startWithShop();
  const calls = fairway.balanced.countCalls();
  await fairway.create('other');
  await fairway.pass(60_000);
  const callCounts = calls();
  await fairway.delete('other');
  await fairway.pass(60_000);

  const { metadata, status } = await fairway.get('shop');
  const [tree] = await fairway.balanced.trees();
  const [floatingIp] = await fairway.balanced.floatingIps();
  // The response does not include policies.
  expect(withoutLists(callCounts)).toEqual({ 'POST /loadbalancers': 1, 'POST /floatingips': 1, 'GET /l7policies': 1 });
  expect(status?.loadBalancer?.ingress).toEqual([{ ip: floatingIp?.floating_ip_address }]);
  expect(metadata.finalizers).toEqual(['fairway.dev/ingress-load-balancer']);
  expect(tree?.loadBalancer.name).toBe('kube_ingress_demo_default_shop');
  expect(tree?.listeners).toMatchObject([{ protocol: 'HTTP', protocol_port: 80, default_pool_id: null }]);
  expect(await fairway.policies()).toEqual(['shop.example/api -> pool_api_80', 'shop.example/ -> pool_web_80']);
  expect(await fairway.memberPorts()).toEqual({ pool_web_80: [30_080, 30_080], pool_api_80: [30_090, 30_090] });
});

test('makes an Ingress internal if it has no annotation', async () => {
  fairway = await RoutedFairway.start();
  await fairway.create('shop', SPEC, {});
  await fairway.pass(60_000);

  const [tree] = await fairway.balanced.trees();
  expect((await fairway.get('shop')).status?.loadBalancer?.ingress).toEqual([{ ip: tree?.loadBalancer.vip_address }]);
  expect(await fairway.balanced.floatingIps()).toEqual([]);
});

test('adds a policy at its position for an additional path', async () => {
  fairway = await RoutedFairway.startWithShop();
  const calls = fairway.balanced.countCalls();

  await fairway.patch('shop', paths(prefix('/', 'web'), prefix('/api', 'api'), prefix('/api/v2', 'web')));
  await fairway.pass(30_000);

  expect(withoutLists(calls())).toEqual({
    'POST /l7policies': 1,
    'POST /l7policies/{policy}/rules': 2,
    'PUT /l7policies/{id}': 1,
    'GET /l7policies': 4,
  });
  expect(await fairway.policies()).toEqual([
    'shop.example/api/v2 -> pool_web_80',
    'shop.example/api -> pool_api_80',
    'shop.example/ -> pool_web_80',
  ]);
});

test('routes a path to another Service, and deletes unused pools', async () => {
  fairway = await RoutedFairway.startWithShop();
  const calls = fairway.balanced.countCalls();

  await fairway.patch('shop', paths(prefix('/', 'web'), prefix('/api', 'web')));
  await fairway.pass(30_000);

  expect(withoutLists(calls())).toEqual({
    'PUT /l7policies/{id}': 1,
    'DELETE /pools/{id}': 1,
    'GET /l7policies': 1,
  });
  expect(await fairway.memberPorts()).toEqual({ pool_web_80: [30_080, 30_080] });
});

test('adds what an edit needs before it removes what is unused', async () => {
  fairway = await RoutedFairway.startWithShop();

  await fairway.patch('shop', {
    spec: { rules: [{ host: 'new.example', http: { paths: [prefix('/', 'api')] } }] },
  });
  await fairway.pass(60_000);

  expect(await fairway.policies()).toEqual(['new.example/ -> pool_api_80']);
  expect(Object.keys(await fairway.memberPorts())).toEqual(['pool_api_80']);
  expect(await fairway.events()).toEqual(['Normal Creating 1', 'Normal Created 1', 'Normal Updated 1']);
});

test('makes one call per pool for an additional node, and no calls for an unrelated edit', async () => {
  fairway = await RoutedFairway.startWithShop();
  await fairway.patch('shop', { metadata: { labels: { team: 'a' } } });
  const calls = fairway.balanced.countCalls();

  await fairway.balanced.fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
  await fairway.pass(40_000);

  expect(withoutLists(calls())).toEqual({ 'PUT /pools/{pool}/members': 2 });
  expect(await fairway.memberPorts()).toEqual({
    pool_web_80: [30_080, 30_080, 30_080],
    pool_api_80: [30_090, 30_090, 30_090],
  });
});

test('reports a backend that is missing or has no node port, and serves it once it has a node port', async () => {
  fairway = await RoutedFairway.start();
  await fairway.balanced.create('late', { type: 'ClusterIP', ports: [{ port: 80, nodePort: undefined }] } as never);
  await fairway.create('shop', { ...SPEC, defaultBackend: { service: { name: 'late', port: { number: 80 } } } });
  await fairway.pass(60_000);
  const before = await fairway.memberPorts();
  await fairway.balanced.patch('late', {
    spec: { type: 'NodePort', ports: [{ name: 'p0', port: 80, nodePort: 30_100 }] },
  });
  await fairway.pass(30_000);

  expect(before['pool_late_80']).toEqual([]);
  expect(await fairway.memberPorts()).toMatchObject({ pool_late_80: [30_100, 30_100] });
  expect(await fairway.warnings()).toEqual([
    'Service late has no node ports; a backend must be a Service of type NodePort or LoadBalancer: requests for it get 503',
  ]);
});

test('reverts manual changes within a minute', async () => {
  fairway = await RoutedFairway.startWithShop();
  const { l7Policies } = fairway.balanced.octavia;
  const [first] = (await Array.fromAsync(l7Policies.list())).toSorted((a, b) => a.position - b.position);
  await fairway.pass(70_000);

  await l7Policies.delete(first?.id ?? '');
  await fairway.pass(75_000);

  expect(await fairway.policies()).toEqual(['shop.example/api -> pool_api_80', 'shop.example/ -> pool_web_80']);
});

test('an idle Ingress costs one list call a minute', async () => {
  fairway = await RoutedFairway.startWithShop();
  await fairway.pass(60_000);
  const calls = fairway.balanced.countCalls();

  await fairway.pass(600_000);

  expect(withoutLists(calls())).toEqual({});
  expect(calls()[LIST_CALL]).toBeLessThanOrEqual(12);
  expect(calls()[USAGE_LIST]).toBeLessThanOrEqual(2);
});

test('leaves nothing behind when an Ingress is deleted or its class changes', async () => {
  fairway = await RoutedFairway.startWithShop();
  await fairway.create('other');
  await fairway.pass(60_000);
  const before = resourceCounts(fairway.balanced.fairway.cloud);

  await fairway.delete('shop');
  await fairway.patch('other', { spec: { ingressClassName: null } });
  await fairway.pass(60_000);

  expect(before).toMatchObject({ load_balancers: 2, floating_ips: 2 });
  expect(resourceCounts(fairway.balanced.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  expect(await fairway.names()).toEqual(['other']);
  expect((await fairway.get('other')).metadata.finalizers).toBeUndefined();
  expect((await fairway.get('other')).status?.loadBalancer).toEqual({});
});

test('keeps a retained floating IP after the Ingress is deleted', async () => {
  fairway = await RoutedFairway.startWithShop();
  await fairway.patch('shop', {
    metadata: { annotations: { 'octavia.ingress.kubernetes.io/keep-floatingip': 'true' } },
  });
  await fairway.pass(10_000);

  await fairway.delete('shop');
  await fairway.pass(60_000);

  const [kept] = await fairway.balanced.floatingIps();
  expect(kept).toMatchObject({
    port_id: null,
    description: 'Floating IP kept of Kubernetes Ingress default/shop from cluster demo',
  });
  expect(await fairway.names()).toEqual([]);
});

test('deletes an Ingress with its cluster', async () => {
  fairway = await RoutedFairway.startWithShop();
  const { fairway: testFairway } = fairway.balanced;

  await testFairway.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(await testFairway.client.resource(clusters).list()).toMatchObject({ items: [] });
  expect(resourceCounts(testFairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0, ports: 0, routers: 0 });
});

test('serves an Ingress once its class exists and belongs to the controller; ignores other classes', async () => {
  fairway = await RoutedFairway.start();
  await fairway.create('shop', { ...SPEC, ingressClassName: 'public' });
  await fairway.create('foreign', { ...SPEC, ingressClassName: 'nginx' });
  await fairway.createClass('nginx', 'k8s.io/ingress-nginx');
  await fairway.pass(30_000);
  const before = await fairway.balanced.trees();
  await fairway.createClass('public', 'fairway.dev/octavia');
  await fairway.pass(60_000);

  const names = (await fairway.balanced.trees()).map(({ loadBalancer }) => loadBalancer.name);
  expect(before).toEqual([]);
  expect(names).toEqual(['kube_ingress_demo_default_shop']);
});
