import { clusters } from '@fairway/api/kinds/cluster';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Gateways, ReferenceGrants } from '../../gateways/kinds.ts';
import { GATEWAY, GatewayFairway, HTTP_AND_HTTPS, https, ROUTE } from '../../gateways/testing/gateway-fairway.ts';
import { readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { CertificateFixture } from '../../tls/testing/certificate-fixture.ts';
import { base64, tlsData } from '../../tls/testing/tls-secret.ts';
import { withoutBarbican } from '../../tls/testing/without-barbican.ts';

const HOUR_MS = 3_600_000;
const PROGRAMMED = ['Accepted True Accepted', 'Programmed True Programmed'];

let first: Record<string, string>;
let secondCertificate: Record<string, string>;
let thirdCertificate: Record<string, string>;
beforeAll(async () => {
  const host = 'shop.example';
  [first, secondCertificate, thirdCertificate] = await Promise.all([tlsData(host), tlsData(host), tlsData(host)]);
});

let fairway: GatewayFairway;
let certificates: CertificateFixture;
afterEach(() => fairway[Symbol.asyncDispose]());

async function start(options: TestFairwayOptions = {}): Promise<void> {
  fairway = await GatewayFairway.start(options);
  certificates = new CertificateFixture(fairway.balanced);
}

/** Starts with a Secret, a Gateway and a route, all named `shop`, all of which work. */
async function startWithShop(options: TestFairwayOptions = {}): Promise<void> {
  await start(options);
  await certificates.make('shop', first);
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.createRoute('shop');
  await fairway.pass(60_000);
}

function change(...listeners: object[]): Promise<void> {
  return fairway.patch(Gateways, 'shop', { spec: { listeners } });
}

async function listener(name = 'https'): Promise<readonly string[] | undefined> {
  return (await fairway.listeners())[name];
}

/** The expected conditions of the HTTPS listener. */
function states({ resolved = 'True ResolvedRefs', programmed = 'True Programmed' }) {
  return [
    'Accepted True Accepted',
    'Conflicted False NoConflicts',
    `ResolvedRefs ${resolved}`,
    `Programmed ${programmed}`,
  ];
}

const INVALID_CERTIFICATE = states({ resolved: 'False InvalidCertificateRef', programmed: 'False Invalid' });

test('stores a certificate in Barbican in one call, and serves HTTPS alongside HTTP', async () => {
  await startWithShop();

  const [certificate, ...others] = await certificates.stored();
  const { uid } = (await fairway.get(Gateways, 'shop')).metadata;
  const [tree] = await fairway.balanced.trees();
  expect(others).toEqual([]);
  expect(certificate?.name).toMatch(
    new RegExp(
      `^fairway-cluster-${fairway.balanced.clusterUid}-gateway-${uid}-[0-9a-f]{16}-[0-9a-f]{32} default/shop$`,
    ),
  );
  expect(await certificates.served()).toEqual({ 80: [], 443: [certificate?.secret_ref] });
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

test('makes no calls to Barbican while idle, except for an occasional list, and writes nothing', async () => {
  await startWithShop();
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

test('replaces a certificate before it deletes the old one', async () => {
  await startWithShop();
  const [old] = await certificates.storedRefs();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });

  await certificates.change('shop', secondCertificate);
  await fairway.pass(30_000);
  const [between, during] = [await certificates.stored(), await fairway.conditions()];
  cloud.faults.clear();
  await fairway.pass(120_000);

  const [now, ...others] = await certificates.storedRefs();
  expect(between).toHaveLength(2);
  expect(during).toEqual(PROGRAMMED);
  expect(others).toEqual([]);
  expect(now).not.toBe(old);
  expect(await certificates.served()).toEqual({ 80: [], 443: [now] });
});

test('serves the latest version of a certificate that changes faster than Octavia can apply it, without exhausting a quota', async () => {
  await startWithShop();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });
  let maxStored = 0;
  for (let round = 0; round < 3; round++) {
    for (const data of [secondCertificate, await tlsData('shop.example')]) {
      await certificates.change('shop', data);
      await fairway.pass(2_000);
      maxStored = Math.max(maxStored, (await certificates.stored()).length);
    }
  }
  await certificates.change('shop', thirdCertificate);
  await fairway.pass(2_000);
  cloud.faults.clear();
  await fairway.pass(120_000);

  const { fingerprint } = readCertificate({ data: thirdCertificate }) as TlsCertificate;
  const [now, ...others] = await certificates.stored();
  expect(maxStored).toBe(2);
  expect(others).toEqual([]);
  expect(now?.name).toContain(fingerprint.slice(0, 32));
  expect(await certificates.served()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test('serves cleartext listeners while a Secret is missing', async () => {
  await start();
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.createRoute('shop', { ...ROUTE, parentRefs: [{ name: 'shop', sectionName: 'https' }] });
  await fairway.pass(60_000);
  const before = {
    served: await certificates.served(),
    gateway: await fairway.conditions(),
    http: (await fairway.listeners())['http']?.at(-1),
    https: await listener(),
    route: await fairway.parents(),
    warnings: await fairway.warnings(),
  };
  await certificates.make('shop', first);
  await fairway.pass(60_000);

  expect(before).toEqual({
    served: { 80: [] },
    gateway: PROGRAMMED,
    http: 'Programmed True Programmed',
    https: INVALID_CERTIFICATE,
    route: [['Accepted True Accepted', 'ResolvedRefs True ResolvedRefs']],
    warnings: ['Secret default/shop: there is no such Secret; its hosts are served without a certificate'],
  });
  expect(await certificates.served()).toEqual({ 80: [], 443: await certificates.storedRefs() });
  expect(await listener()).toEqual(states({}));
});

test('creates nothing for an HTTPS-only Gateway without a certificate', async () => {
  await start();
  await fairway.createGateway('shop', { ...GATEWAY, listeners: [https('shop')] });
  await fairway.pass(60_000);
  const before = [await fairway.conditions(), await listener()];
  const createdTrees = await fairway.balanced.trees();
  await certificates.make('shop', first);
  await fairway.pass(60_000);

  expect(before).toEqual([['Accepted True Accepted', 'Programmed False Invalid'], INVALID_CERTIFICATE]);
  expect(createdTrees).toEqual([]);
  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await certificates.served()).toEqual({ 443: await certificates.storedRefs() });
});

test('reports an invalid or deleted Secret, and keeps serving its last valid certificate', async () => {
  await startWithShop();
  const [old] = await certificates.storedRefs();

  await certificates.change('shop', { 'tls.key': base64('junk') });
  await fairway.pass(30_000);
  const brokenListener = await listener();
  await certificates.delete('shop');
  await fairway.pass(30_000);

  const served = states({ resolved: 'False InvalidCertificateRef' });
  expect(brokenListener).toEqual(served);
  expect(await listener()).toEqual(served);
  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await certificates.storedRefs()).toEqual([old]);
  expect(await certificates.served()).toEqual({ 80: [], 443: [old] });
  expect(await fairway.warnings()).toEqual([
    'Secret default/shop: tls.key is not an unencrypted PEM private key; its previous certificate is still served',
    'Secret default/shop: there is no such Secret; its previous certificate is still served',
  ]);
});

describe('several certificates', () => {
  test('use the first certificate as the default within a listener', async () => {
    await startWithShop();
    await certificates.make('more', secondCertificate);
    await change(https('shop', { tls: { certificateRefs: [{ name: 'more' }, { name: 'shop' }] } }));
    await fairway.pass(120_000);

    const { 443: refs } = await certificates.served();
    const names = new Map((await certificates.stored()).map((each) => [each.secret_ref, each.name?.split(' ')[1]]));
    expect(refs?.map((ref) => names.get(ref))).toEqual(['default/more', 'default/shop']);
  });

  test('use the certificate of the least specific hostname as the default on a shared port, and each listener reports its own problems', async () => {
    await start();
    await certificates.make('shop', first);
    await certificates.make('any', secondCertificate);
    const listeners = [
      https('shop', { name: 'shop', hostname: 'shop.example' }),
      https('none', { name: 'none', hostname: 'none.org' }),
      https('any', { name: 'any' }),
    ];
    await fairway.createGateway('shop', { ...GATEWAY, listeners });
    await fairway.createRoute('shop');
    await fairway.pass(60_000);

    const { 443: refs } = await certificates.served();
    const names = new Map((await certificates.stored()).map((each) => [each.secret_ref, each.name?.split(' ')[1]]));
    const overlap = 'OverlappingTLSConfig True OverlappingHostnames';
    expect(refs?.map((ref) => names.get(ref))).toEqual(['default/any', 'default/shop']);
    expect(await fairway.conditions()).toEqual(PROGRAMMED);
    expect(await fairway.listeners()).toEqual({
      shop: [...states({}), overlap],
      none: [...INVALID_CERTIFICATE, overlap],
      any: [...states({}), overlap],
    });
  });
});

describe('leaves no certificate behind', () => {
  test('when a listener is removed or becomes cleartext', async () => {
    await startWithShop();
    await certificates.make('more', secondCertificate);
    await change(https('shop'), https('more', { name: 'more', port: 8443 }));
    await fairway.pass(120_000);
    const both = await certificates.served();
    await change(https('shop'), { name: 'more', port: 8443, protocol: 'HTTP' });
    await fairway.pass(120_000);
    const one = [await certificates.served(), await certificates.storedRefs()];
    await change(...GATEWAY.listeners);
    await fairway.pass(120_000);

    expect(Object.keys(both)).toEqual(['443', '8443']);
    expect(one).toEqual([{ 443: both[443], 8443: [] }, both[443]]);
    expect(await certificates.served()).toEqual({ 80: [] });
    expect(await certificates.storedRefs()).toEqual([]);
    expect(await fairway.conditions()).toEqual(PROGRAMMED);
  });

  test('when another namespace revokes its grant', async () => {
    await start();
    await fairway.createNamespace('other');
    await certificates.make('far', first, 'other');
    await fairway.createGateway('shop', { ...GATEWAY, listeners: [https({ name: 'far', namespace: 'other' })] });
    await fairway.pass(60_000);
    const refused = [await listener(), await certificates.stored()];
    const from = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'default' }];
    await fairway.create(ReferenceGrants, 'far', { from, to: [{ group: '', kind: 'Secret' }] }, {}, 'other');
    await fairway.pass(60_000);
    const granted = [await certificates.served(), await listener()];
    const refs = await certificates.storedRefs();
    await fairway.delete(ReferenceGrants, 'far', 'other');
    await fairway.pass(120_000);

    const refNotPermitted = states({ resolved: 'False RefNotPermitted', programmed: 'False Invalid' });
    expect(refused).toEqual([refNotPermitted, []]);
    expect(granted).toEqual([{ 443: refs }, states({})]);
    expect(await listener()).toEqual(refNotPermitted);
    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed False Invalid']);
    expect(await certificates.served()).toEqual({});
    expect(await certificates.storedRefs()).toEqual([]);
  });

  test('when a Gateway is deleted, alone or with its cluster', async () => {
    await startWithShop();
    await fairway.createGateway('other', HTTP_AND_HTTPS);
    await fairway.pass(60_000);
    const before = await certificates.stored();
    await fairway.delete(Gateways, 'shop');
    await fairway.pass(60_000);
    const between = await certificates.stored();
    await fairway.balanced.fairway.delete(clusters, 'demo');
    await fairway.pass(120_000);

    expect(before).toHaveLength(2);
    expect(between).toHaveLength(1);
    expect(await certificates.stored()).toEqual([]);
  });

  test('when its class is handed to another controller, or its kind is removed', async () => {
    await startWithShop();
    await fairway.createGateway('other', { ...HTTP_AND_HTTPS, gatewayClassName: 'mine' });
    await fairway.createClass('mine', { controllerName: 'fairway.dev/octavia' });
    await fairway.pass(60_000);
    const before = await certificates.stored();
    await fairway.createClass('octavia', { controllerName: 'gateway.envoyproxy.io/controller' });
    await fairway.pass(60_000);
    const between = await certificates.stored();
    await fairway.deleteDefinition(Gateways);
    await fairway.pass(90_000);

    expect(before).toHaveLength(2);
    expect(between).toHaveLength(1);
    expect(await certificates.stored()).toEqual([]);
  });

  test('when the load balancer was never created', async () => {
    await start();
    await certificates.make('shop', first);
    const failPosts = { method: 'POST', times: null, action: { kind: 'answer', status: 500 } } as const;
    fairway.balanced.fairway.cloud.faults.add({ ...failPosts, service: 'load-balancer' });
    await fairway.createGateway('shop', { ...GATEWAY, listeners: [https('shop')] });
    await fairway.pass(30_000);
    const before = await certificates.stored();
    await change(https('none'));
    await fairway.pass(60_000);

    expect(before).toHaveLength(1);
    expect(await certificates.stored()).toEqual([]);
    expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed False Invalid']);
  });

  test('when its finalizer is removed by hand', async () => {
    await startWithShop();

    await fairway.patch(Gateways, 'shop', { metadata: { finalizers: null } });
    await fairway.delete(Gateways, 'shop');
    await fairway.pass(120_000);

    expect(await fairway.names(Gateways)).toEqual([]);
    expect(await fairway.balanced.trees()).toEqual([]);
    expect(await certificates.stored()).toEqual([]);
  });
});

test('reports HTTPS as unavailable without Barbican, and serves HTTP', async () => {
  await start({ cloudTransport: withoutBarbican });
  await certificates.make('shop', first);
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.pass(60_000);

  expect(await fairway.conditions()).toEqual(PROGRAMMED);
  expect(await listener()).toEqual(states({ programmed: 'False Invalid' }));
  expect(await certificates.served()).toEqual({ 80: [] });
  expect(await fairway.warnings()).toEqual([expect.stringContaining('no key-manager service (Barbican)')]);
});
