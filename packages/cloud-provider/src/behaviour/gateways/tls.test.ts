import { clusters } from '@fairway/api/kinds/cluster';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Gateways, ReferenceGrants } from '../../gateways/kinds.ts';
import { BOTH, GATEWAY, GatewayFairway, https, ROUTE } from '../../gateways/testing/gateway-fairway.ts';
import { readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { Certified } from '../../tls/testing/certified.ts';
import { base64, tlsData } from '../../tls/testing/tls-secret.ts';
import { withoutBarbican } from '../../tls/testing/without-barbican.ts';

const HOUR_MS = 3_600_000;
const PROGRAMMED = ['Accepted True Accepted', 'Programmed True Programmed'];

let first: Record<string, string>;
let second: Record<string, string>;
let third: Record<string, string>;
beforeAll(async () => {
  const host = 'shop.example';
  [first, second, third] = await Promise.all([tlsData(host), tlsData(host), tlsData(host)]);
});

let fairway: GatewayFairway;
let certified: Certified;
afterEach(() => fairway[Symbol.asyncDispose]());

async function start(options: TestFairwayOptions = {}): Promise<void> {
  fairway = await GatewayFairway.start(options);
  certified = new Certified(fairway.balanced);
}

/** With the Secret, the Gateway and the route `shop`, which work. */
async function withShop(options: TestFairwayOptions = {}): Promise<void> {
  await start(options);
  await certified.make('shop', first);
  await fairway.createGateway('shop', BOTH);
  await fairway.createRoute('shop');
  await fairway.pass(60_000);
}

function change(...listeners: object[]): Promise<void> {
  return fairway.patch(Gateways, 'shop', { spec: { listeners } });
}

async function listener(name = 'https'): Promise<readonly string[] | undefined> {
  return (await fairway.listeners())[name];
}

/** Of HTTPS. */
function states({ resolved = 'True ResolvedRefs', programmed = 'True Programmed' }) {
  return [
    'Accepted True Accepted',
    'Conflicted False NoConflicts',
    `ResolvedRefs ${resolved}`,
    `Programmed ${programmed}`,
  ];
}

const NOTHING_SERVED = states({ resolved: 'False InvalidCertificateRef', programmed: 'False Invalid' });

test('a certificate is stored in Barbican in one call, and HTTPS serves it beside HTTP', async () => {
  await withShop();

  const [certificate, ...others] = await certified.stored();
  const { uid } = (await fairway.get(Gateways, 'shop')).metadata;
  const [tree] = await fairway.balanced.trees();
  expect(others).toEqual([]);
  expect(certificate?.name).toMatch(
    new RegExp(
      `^fairway-cluster-${fairway.balanced.clusterUid}-gateway-${uid}-[0-9a-f]{16}-[0-9a-f]{32} default/shop$`,
    ),
  );
  expect(await certified.served()).toEqual({ 80: [], 443: [certificate?.secret_ref] });
  expect(tree?.listeners.map(({ protocol, name }) => `${protocol} ${name}`).sort()).toEqual([
    'HTTP http_80',
    'TERMINATED_HTTPS https_443',
  ]);
  expect(await fairway.policies()).toEqual([
    '80 shop.example/api -> pool_default_api_80',
    '80 shop.example/ -> pool_default_web_80',
    '443 shop.example/api -> pool_default_api_80',
    '443 shop.example/ -> pool_default_web_80',
  ]);
  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await listener()).toEqual(states({}));
  expect((await fairway.get(Gateways, 'shop')).status?.listeners).toMatchObject([
    { name: 'http', attachedRoutes: 1 },
    { name: 'https', attachedRoutes: 1, supportedKinds: [{ kind: 'HTTPRoute' }] },
  ]);
  expect(await fairway.warnings()).toEqual([]);
});

test('while idle it costs no call to Barbican except an occasional list, and writes nothing', async () => {
  await withShop();
  await fairway.pass(60_000);
  const { calls } = fairway.balanced.fairway.cloud;
  const count = () =>
    calls
      .counts()
      .filter(({ service }) => service === 'key-manager')
      .reduce((sum, each) => sum + each.count, 0);
  const before = count();
  const { resourceVersion } = (await fairway.get(Gateways, 'shop')).metadata;

  await fairway.pass(HOUR_MS);

  expect(count() - before).toBeLessThanOrEqual(6);
  expect((await fairway.get(Gateways, 'shop')).metadata.resourceVersion).toBe(resourceVersion);
});

test('a new certificate replaces the old one, which is deleted only then', async () => {
  await withShop();
  const [old] = await certified.storedRefs();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });

  await certified.change('shop', second);
  await fairway.pass(30_000);
  const [between, during] = [await certified.stored(), await fairway.conditions()];
  cloud.faults.clear();
  await fairway.pass(120_000);

  const [now, ...others] = await certified.storedRefs();
  expect(between).toHaveLength(2);
  expect(during).toEqual(PROGRAMMED);
  expect(others).toEqual([]);
  expect(now).not.toBe(old);
  expect(await certified.served()).toEqual({ 80: [], 443: [now] });
});

test('one that changes faster than Octavia is served in its last version, and exhausts nothing', async () => {
  await withShop();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });
  let most = 0;
  for (let round = 0; round < 3; round++) {
    for (const data of [second, await tlsData('shop.example')]) {
      await certified.change('shop', data);
      await fairway.pass(2_000);
      most = Math.max(most, (await certified.stored()).length);
    }
  }
  await certified.change('shop', third);
  await fairway.pass(2_000);
  cloud.faults.clear();
  await fairway.pass(120_000);

  const { fingerprint } = readCertificate({ data: third }) as TlsCertificate;
  const [now, ...others] = await certified.stored();
  expect(most).toBe(2);
  expect(others).toEqual([]);
  expect(now?.name).toContain(fingerprint.slice(0, 32));
  expect(await certified.served()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test('a missing Secret that is created later: cleartext listeners are served meanwhile', async () => {
  await start();
  await fairway.createGateway('shop', BOTH);
  await fairway.createRoute('shop', { ...ROUTE, parentRefs: [{ name: 'shop', sectionName: 'https' }] });
  await fairway.pass(60_000);
  const before = {
    served: await certified.served(),
    gateway: await fairway.conditions(),
    http: (await fairway.listeners())['http']?.at(-1),
    https: await listener(),
    route: await fairway.parents(),
    warnings: await fairway.warnings(),
  };
  await certified.make('shop', first);
  await fairway.pass(60_000);

  expect(before).toEqual({
    served: { 80: [] },
    gateway: PROGRAMMED,
    http: 'Programmed True Programmed',
    https: NOTHING_SERVED,
    route: [['Accepted True Accepted', 'ResolvedRefs True ResolvedRefs']],
    warnings: ['Secret default/shop: there is no such Secret; its hosts are served without a certificate'],
  });
  expect(await certified.served()).toEqual({ 80: [], 443: await certified.storedRefs() });
  expect(await listener()).toEqual(states({}));
});

test('nothing is created for HTTPS alone while there is no certificate', async () => {
  await start();
  await fairway.createGateway('shop', { ...GATEWAY, listeners: [https('shop')] });
  await fairway.pass(60_000);
  const before = [await fairway.conditions(), await listener()];
  const made = await fairway.balanced.trees();
  await certified.make('shop', first);
  await fairway.pass(60_000);

  expect(before).toEqual([['Accepted True Accepted', 'Programmed False Invalid'], NOTHING_SERVED]);
  expect(made).toEqual([]);
  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await certified.served()).toEqual({ 443: await certified.storedRefs() });
});

test('a Secret that becomes invalid or is deleted is reported, and its last certificate is served', async () => {
  await withShop();
  const [old] = await certified.storedRefs();

  await certified.change('shop', { 'tls.key': base64('junk') });
  await fairway.pass(30_000);
  const broken = await listener();
  await certified.delete('shop');
  await fairway.pass(30_000);

  const served = states({ resolved: 'False InvalidCertificateRef' });
  expect(broken).toEqual(served);
  expect(await listener()).toEqual(served);
  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await certified.storedRefs()).toEqual([old]);
  expect(await certified.served()).toEqual({ 80: [], 443: [old] });
  expect(await fairway.warnings()).toEqual([
    'Secret default/shop: tls.key is not an unencrypted PEM private key; its previous certificate is still served',
    'Secret default/shop: there is no such Secret; its previous certificate is still served',
  ]);
});

describe('several certificates', () => {
  test('of one listener: the first is the default', async () => {
    await withShop();
    await certified.make('more', second);
    await change(https('shop', { tls: { certificateRefs: [{ name: 'more' }, { name: 'shop' }] } }));
    await fairway.pass(120_000);

    const { 443: refs } = await certified.served();
    const names = new Map((await certified.stored()).map((each) => [each.secret_ref, each.name?.split(' ')[1]]));
    expect(refs?.map((ref) => names.get(ref))).toEqual(['default/more', 'default/shop']);
  });

  test('of listeners on one port: the least specific hostname has the default, and each reports what it lacks', async () => {
    await start();
    await certified.make('shop', first);
    await certified.make('any', second);
    const listeners = [
      https('shop', { name: 'shop', hostname: 'shop.example' }),
      https('none', { name: 'none', hostname: 'none.org' }),
      https('any', { name: 'any' }),
    ];
    await fairway.createGateway('shop', { ...GATEWAY, listeners });
    await fairway.createRoute('shop');
    await fairway.pass(60_000);

    const { 443: refs } = await certified.served();
    const names = new Map((await certified.stored()).map((each) => [each.secret_ref, each.name?.split(' ')[1]]));
    const overlap = 'OverlappingTLSConfig True OverlappingHostnames';
    expect(refs?.map((ref) => names.get(ref))).toEqual(['default/any', 'default/shop']);
    expect(await fairway.conditions()).toEqual(PROGRAMMED);
    expect(await fairway.listeners()).toEqual({
      shop: [...states({}), overlap],
      none: [...NOTHING_SERVED, overlap],
      any: [...states({}), overlap],
    });
  });
});

describe('it leaves no certificate', () => {
  test('of a listener that is removed, or becomes cleartext', async () => {
    await withShop();
    await certified.make('more', second);
    await change(https('shop'), https('more', { name: 'more', port: 8443 }));
    await fairway.pass(120_000);
    const both = await certified.served();
    await change(https('shop'), { name: 'more', port: 8443, protocol: 'HTTP' });
    await fairway.pass(120_000);
    const one = [await certified.served(), await certified.storedRefs()];
    await change(...GATEWAY.listeners);
    await fairway.pass(120_000);

    expect(Object.keys(both)).toEqual(['443', '8443']);
    expect(one).toEqual([{ 443: both[443], 8443: [] }, both[443]]);
    expect(await certified.served()).toEqual({ 80: [] });
    expect(await certified.storedRefs()).toEqual([]);
    expect(await fairway.conditions()).toEqual(PROGRAMMED);
  });

  test('of another namespace that revokes its grant', async () => {
    await start();
    await fairway.createNamespace('other');
    await certified.make('far', first, 'other');
    await fairway.createGateway('shop', { ...GATEWAY, listeners: [https({ name: 'far', namespace: 'other' })] });
    await fairway.pass(60_000);
    const refused = [await listener(), await certified.stored()];
    const from = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'default' }];
    await fairway.create(ReferenceGrants, 'far', { from, to: [{ group: '', kind: 'Secret' }] }, {}, 'other');
    await fairway.pass(60_000);
    const granted = [await certified.served(), await listener()];
    const refs = await certified.storedRefs();
    await fairway.delete(ReferenceGrants, 'far', 'other');
    await fairway.pass(120_000);

    const denied = states({ resolved: 'False RefNotPermitted', programmed: 'False Invalid' });
    expect(refused).toEqual([denied, []]);
    expect(granted).toEqual([{ 443: refs }, states({})]);
    expect(await listener()).toEqual(denied);
    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed False Invalid']);
    expect(await certified.served()).toEqual({});
    expect(await certified.storedRefs()).toEqual([]);
  });

  test('whether it is deleted by itself, or with its cluster', async () => {
    await withShop();
    await fairway.createGateway('other', BOTH);
    await fairway.pass(60_000);
    const before = await certified.stored();
    await fairway.delete(Gateways, 'shop');
    await fairway.pass(60_000);
    const between = await certified.stored();
    await fairway.balanced.fairway.delete(clusters, 'demo');
    await fairway.pass(120_000);

    expect(before).toHaveLength(2);
    expect(between).toHaveLength(1);
    expect(await certified.stored()).toEqual([]);
  });

  test('when its class is given to another controller, or its kind is removed', async () => {
    await withShop();
    await fairway.createGateway('other', { ...BOTH, gatewayClassName: 'mine' });
    await fairway.createClass('mine', { controllerName: 'fairway.dev/octavia' });
    await fairway.pass(60_000);
    const before = await certified.stored();
    await fairway.createClass('octavia', { controllerName: 'gateway.envoyproxy.io/controller' });
    await fairway.pass(60_000);
    const between = await certified.stored();
    await fairway.undefine(Gateways);
    await fairway.pass(90_000);

    expect(before).toHaveLength(2);
    expect(between).toHaveLength(1);
    expect(await certified.stored()).toEqual([]);
  });

  test('of a load balancer that was never created', async () => {
    await start();
    await certified.make('shop', first);
    const fails = { method: 'POST', times: null, action: { kind: 'answer', status: 500 } } as const;
    fairway.balanced.fairway.cloud.faults.add({ ...fails, service: 'load-balancer' });
    await fairway.createGateway('shop', { ...GATEWAY, listeners: [https('shop')] });
    await fairway.pass(30_000);
    const before = await certified.stored();
    await change(https('none'));
    await fairway.pass(60_000);

    expect(before).toHaveLength(1);
    expect(await certified.stored()).toEqual([]);
    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed False Invalid']);
  });

  test('when its finalizer is removed by hand', async () => {
    await withShop();

    await fairway.patch(Gateways, 'shop', { metadata: { finalizers: null } });
    await fairway.delete(Gateways, 'shop');
    await fairway.pass(120_000);

    expect(await fairway.names(Gateways)).toEqual([]);
    expect(await fairway.balanced.trees()).toEqual([]);
    expect(await certified.stored()).toEqual([]);
  });
});

test('if the cloud has no Barbican, HTTPS is reported as unavailable and HTTP is served', async () => {
  await start({ cloudTransport: withoutBarbican });
  await certified.make('shop', first);
  await fairway.createGateway('shop', BOTH);
  await fairway.pass(60_000);

  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await listener()).toEqual(states({ programmed: 'False Invalid' }));
  expect(await certified.served()).toEqual({ 80: [] });
  expect(await fairway.warnings()).toEqual([expect.stringContaining('no key-manager service (Barbican)')]);
});
