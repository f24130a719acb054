import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayClasses, Gateways, HttpRoutes, ReferenceGrants } from '../../gateways/kinds.ts';
import { DEFINITIONS, definition } from '../../gateways/testing/definitions.ts';
import { GATEWAY, GatewayFairway, prefix, ROUTE } from '../../gateways/testing/gateway-fairway.ts';
import { GRANT } from '../../gateways/testing/routes.ts';

let fairway: GatewayFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

describe('Gateway API kinds', () => {
  test('can be installed long after the cluster was created', async () => {
    fairway = await GatewayFairway.start({}, []);
    await fairway.pass(3_600_000);

    for (const each of DEFINITIONS) await fairway.createDefinition(each);
    await fairway.createGateway('shop');
    await fairway.createRoute('shop');
    await fairway.pass(60_000);

    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
    expect(await fairway.policies()).toHaveLength(2);
  });

  test('may have a different schema: unreadable fields are reported and affect no other object', async () => {
    fairway = await GatewayFairway.start();

    await fairway.createGateway('odd', { gatewayClassName: 'octavia', listeners: { a: 1 } });
    await fairway.createGateway('shop');
    await fairway.createRoute('odd', { parentRefs: [{ name: 'shop' }], rules: 'all' });
    await fairway.createRoute('shop');
    await fairway.pass(60_000);

    expect(await fairway.conditions('odd')).toEqual(['Accepted False Invalid', 'Programmed False Invalid']);
    expect(await fairway.parents('odd')).toEqual([
      ['Accepted False UnsupportedValue', 'ResolvedRefs True ResolvedRefs'],
    ]);
    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  });

  test('are ignored in an unsupported version, and served once the supported one exists', async () => {
    const other = definition(Gateways, { served: 'v9' });
    fairway = await GatewayFairway.start({}, [other]);
    await fairway.pass(600_000);

    const client = fairway.balanced.fairway.runtime.client(fairway.balanced.clusterUid);
    await client.resource(CustomResourceDefinitions).delete(other.metadata.name ?? '');
    await fairway.pass(10_000);
    for (const each of DEFINITIONS) await fairway.createDefinition(each);
    await fairway.createGateway('shop');
    await fairway.pass(60_000);

    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  });

  test('delete their load balancers when they are deleted', async () => {
    fairway = await GatewayFairway.startWithShop();
    const client = fairway.balanced.fairway.runtime.client(fairway.balanced.clusterUid);

    await client.resource(CustomResourceDefinitions).delete('gateways.gateway.networking.k8s.io');
    await fairway.pass(90_000);

    expect(await fairway.balanced.trees()).toEqual([]);
    expect(await fairway.balanced.floatingIps()).toEqual([]);
  });
});

describe('classes', () => {
  test('are accepted and their Gateways served if they are Fairway’s; other classes are ignored', async () => {
    fairway = await GatewayFairway.start();
    await fairway.createGateway('early', { ...GATEWAY, gatewayClassName: 'public' });
    await fairway.createGateway('foreign', { ...GATEWAY, gatewayClassName: 'envoy' });
    await fairway.createClass('envoy', { controllerName: 'gateway.envoyproxy.io/controller' });
    await fairway.pass(30_000);
    const before = await fairway.balanced.trees();
    await fairway.createClass('public', { controllerName: 'fairway.dev/octavia' });
    await fairway.createClass('tuned', { controllerName: 'fairway.dev/octavia', parametersRef: { name: 'x' } });
    await fairway.pass(60_000);

    const messagesOf = async (name: string) =>
      (await fairway.get(GatewayClasses, name)).status?.conditions?.map(({ reason }) => reason);
    expect(before).toEqual([]);
    expect(await fairway.conditions('early')).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
    expect(await fairway.conditions('foreign')).toEqual([]);
    expect(await messagesOf('public')).toEqual(['Accepted']);
    expect(await messagesOf('tuned')).toEqual(['InvalidParameters']);
    expect(await messagesOf('envoy')).toBeUndefined();
  });

  test('leaves nothing behind when a class moves to another controller', async () => {
    fairway = await GatewayFairway.startWithShop();

    await fairway.createClass('octavia', { controllerName: 'gateway.envoyproxy.io/controller' });
    await fairway.pass(60_000);

    expect(await fairway.balanced.trees()).toEqual([]);
    expect(await fairway.parents()).toEqual([]);
    expect((await fairway.get(Gateways, 'shop')).metadata.finalizers).toBeUndefined();
  });
});

test('spec.infrastructure makes a Gateway internal, and its labels are reported as having no effect', async () => {
  fairway = await GatewayFairway.start();
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  await fairway.createGateway('shop', { ...GATEWAY, infrastructure: { annotations: internal, labels: { team: 'a' } } });
  await fairway.createGateway('open', {
    ...GATEWAY,
    infrastructure: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' } },
  });
  await fairway.pass(60_000);

  expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  expect(await fairway.messages()).toContainEqual(expect.stringContaining('spec.infrastructure.labels has no effect'));
  expect(await fairway.conditions('open')).toEqual(['Accepted False Invalid', 'Programmed False Invalid']);
  expect(await fairway.balanced.floatingIps()).toEqual([]);
  expect((await fairway.balanced.trees()).map(({ loadBalancer }) => loadBalancer.name)).toEqual([
    'kube_gateway_demo_default_shop',
  ]);
});

describe('refusals', () => {
  test('refuses a TLS passthrough listener, serves the listener alongside it, and creates nothing for a Gateway with only TLS passthrough', async () => {
    fairway = await GatewayFairway.start();
    const tls = { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } };
    await fairway.createGateway('both', { ...GATEWAY, listeners: [...GATEWAY.listeners, tls] });
    await fairway.createGateway('shop', { ...GATEWAY, listeners: [tls] });
    await fairway.createRoute('shop');
    await fairway.pass(60_000);

    const refused = [
      'Accepted False UnsupportedProtocol',
      'Conflicted False NoConflicts',
      'ResolvedRefs True ResolvedRefs',
      'Programmed False Invalid',
    ];
    const names = (await fairway.balanced.trees()).map(({ loadBalancer }) => loadBalancer.name);
    expect(names).toEqual(['kube_gateway_demo_default_both']);
    expect(await fairway.conditions('both')).toEqual(['Accepted True ListenersNotValid', 'Programmed True Programmed']);
    expect(await fairway.listeners('both')).toMatchObject({ tls: refused });
    expect(await fairway.conditions()).toEqual(['Accepted False ListenersNotValid', 'Programmed False Invalid']);
    expect(await fairway.parents()).toEqual([['Accepted False NoMatchingParent', 'ResolvedRefs True ResolvedRefs']]);
    expect((await fairway.get(Gateways, 'shop')).metadata.finalizers).toBeUndefined();
  });

  test.each([
    { addresses: [{ type: 'Hostname', value: 'shop.example' }] },
    { addresses: [{ value: '10.0.0.1' }, { value: '10.0.0.2' }] },
    { addresses: [{ value: 'fd00::1' }] },
  ])('%j', async ({ addresses }) => {
    fairway = await GatewayFairway.start();
    await fairway.createGateway('shop', { ...GATEWAY, addresses });
    await fairway.pass(30_000);

    expect(await fairway.conditions()).toEqual(['Accepted False UnsupportedAddress', 'Programmed False Invalid']);
    expect(await fairway.balanced.trees()).toEqual([]);
  });

  test('refuses a floating IP that is in use elsewhere', async () => {
    fairway = await GatewayFairway.startWithShop();
    const [first] = await fairway.balanced.floatingIps();
    await fairway.createGateway('second', { ...GATEWAY, addresses: [{ value: first?.floating_ip_address }] });
    await fairway.pass(60_000);

    expect(await fairway.conditions('second')).toEqual(['Accepted True Accepted', 'Programmed False AddressNotUsable']);
    expect(await fairway.warnings()).toContainEqual(expect.stringContaining('spec.addresses: the floating IP'));
    expect(await fairway.balanced.floatingIps()).toMatchObject([{ id: first?.id, port_id: first?.port_id }]);
  });

  test('serves a route’s valid rules, and reports an unsupported one', async () => {
    fairway = await GatewayFairway.start();
    await fairway.createGateway('shop');
    await fairway.createRoute('shop', { ...ROUTE, rules: [prefix('/', 'web'), { matches: [{ method: 'POST' }] }] });
    await fairway.pass(60_000);

    const [parent] = (await fairway.get(HttpRoutes, 'shop')).status?.parents ?? [];
    expect(parent?.conditions).toMatchObject([
      { type: 'Accepted', status: 'True' },
      { type: 'ResolvedRefs', status: 'True' },
      {
        type: 'PartiallyInvalid',
        status: 'True',
        reason: 'UnsupportedValue',
        message: 'Dropped Rule rules[1]: Octavia cannot match methods',
      },
    ]);
    expect(await fairway.policies()).toEqual(['80 shop.example/ -> pool_default_web_80']);
  });
});

test('honors labels and grants for routes and Services in other namespaces', async () => {
  fairway = await GatewayFairway.start();
  await fairway.createNamespace('other');
  const namespaces = { from: 'Selector', selector: { matchLabels: { shop: 'yes' } } };
  await fairway.createGateway('shop', {
    ...GATEWAY,
    listeners: [{ ...GATEWAY.listeners[0], allowedRoutes: { namespaces } }],
  });
  await fairway.createNamespace('team', { shop: 'yes' });
  const far = { backendRefs: [{ name: 'web', namespace: 'default', port: 80 }] };
  await fairway.createRoute('far', { parentRefs: [{ name: 'shop', namespace: 'default' }], rules: [far] }, 'team');
  await fairway.createRoute('no', { parentRefs: [{ name: 'shop', namespace: 'default' }], rules: [far] }, 'other');
  await fairway.pass(60_000);
  const before = [await fairway.parents('far', 'team'), await fairway.parents('no', 'other'), await fairway.policies()];
  const from = GRANT.from.map((each) => ({ ...each, namespace: 'team' }));
  await fairway.create(ReferenceGrants, 'team', { from, to: [{ group: '', kind: 'Service' }] });
  await fairway.pass(60_000);

  expect(before).toEqual([
    [['Accepted True Accepted', 'ResolvedRefs False RefNotPermitted']],
    [['Accepted False NotAllowedByListeners', 'ResolvedRefs False RefNotPermitted']],
    ['80 */ -> pool_nowhere'],
  ]);
  expect(await fairway.parents('far', 'team')).toEqual([['Accepted True Accepted', 'ResolvedRefs True ResolvedRefs']]);
  expect(await fairway.policies()).toEqual(['80 */ -> pool_default_web_80']);
});

test('preserves the parent statuses that other controllers write to a route', async () => {
  fairway = await GatewayFairway.startWithShop();
  const foreign = { parentRef: { name: 'mesh' }, controllerName: 'acme.io/mesh', conditions: [], note: 'mine' };
  const own = (await fairway.get(HttpRoutes, 'shop')).status?.parents ?? [];
  await fairway.patch(HttpRoutes, 'shop', { status: { parents: [foreign, ...own] } }, 'status');

  await fairway.patch(HttpRoutes, 'shop', { spec: { rules: [prefix('/', 'gone')] } });
  await fairway.pass(60_000);

  expect((await fairway.get(HttpRoutes, 'shop')).status?.parents).toMatchObject([
    foreign,
    { conditions: [{ type: 'Accepted' }, { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound' }] },
  ]);
});
