import { clusters } from '@fairway/api/kinds/cluster';
import { Crash } from '@fairway/controllers/testing/crash';
import { createForeignClient } from '@fairway/controllers/testing/foreign-client';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { RoutedFairway, SPEC } from '../../ingresses/testing/routed-fairway.ts';
import { readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { CertificateFixture } from '../../tls/testing/certificate-fixture.ts';
import { base64, tlsData } from '../../tls/testing/tls-secret.ts';

const TLS = { ...SPEC, tls: [{ hosts: ['shop.example'], secretName: 'shop' }] };
const HOUR_MS = 3_600_000;

let first: Record<string, string>;
let secondCertificate: Record<string, string>;
let thirdCertificate: Record<string, string>;
beforeAll(async () => {
  const host = 'shop.example';
  [first, secondCertificate, thirdCertificate] = await Promise.all([tlsData(host), tlsData(host), tlsData(host)]);
});

let fairway: RoutedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

/** Access to the contents of the Secrets, to the stored certificates and to the served ones. */
function certificates(): CertificateFixture {
  return new CertificateFixture(fairway.balanced);
}

function stored() {
  return certificates().stored();
}

function listeners() {
  return certificates().served();
}

async function withTls(options: TestFairwayOptions = {}): Promise<void> {
  fairway = await RoutedFairway.start(options);
  await certificates().make('shop', first);
  await fairway.create('shop', TLS);
  await fairway.pass(60_000);
}

test('stores its Secret in Barbican in one call, serves HTTPS, and redirects HTTP', async () => {
  await withTls();

  const [certificate, ...others] = await stored();
  const { clusterUid } = fairway.balanced;
  const uid = (await fairway.get('shop')).metadata.uid;
  expect(others).toEqual([]);
  expect(certificate?.name).toMatch(
    new RegExp(`^fairway-cluster-${clusterUid}-ingress-${uid}-[0-9a-f]{16}-[0-9a-f]{32} default/shop$`),
  );
  expect(await listeners()).toEqual({ 80: [], 443: [certificate?.secret_ref] });
  expect([...(await fairway.policies())].sort()).toEqual([
    'shop.example to HTTPS -> undefined',
    'shop.example/ -> pool_web_80',
    'shop.example/api -> pool_api_80',
  ]);
  expect(await fairway.warnings()).toEqual([]);
  expect((await fairway.get('shop')).status?.loadBalancer?.ingress).toHaveLength(1);
});

test('makes no calls to Barbican or the API server while idle', async () => {
  await withTls();
  const { calls } = fairway.balanced.fairway.cloud;
  const count = () =>
    calls
      .counts()
      .filter(({ service }) => service === 'key-manager')
      .reduce((sum, each) => sum + each.count, 0);
  const before = count();

  await fairway.pass(HOUR_MS);

  expect(count() - before).toBeLessThanOrEqual(6);
});

test('replaces a certificate before it deletes the old one', async () => {
  await withTls();
  const [old] = await stored();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });

  await certificates().change('shop', secondCertificate);
  await fairway.pass(30_000);
  const between = await stored();
  cloud.faults.clear();
  await fairway.pass(120_000);

  expect(between).toHaveLength(2);
  const [now, ...others] = await stored();
  expect(others).toEqual([]);
  expect(now?.id).not.toBe(old?.id);
  expect(await listeners()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test('serves the latest version of a certificate that changes faster than Octavia can apply it, without exhausting a quota', async () => {
  await withTls();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });
  let maxStored = 0;
  for (let round = 0; round < 3; round++) {
    for (const data of [secondCertificate, await tlsData('shop.example')]) {
      await certificates().change('shop', data);
      await fairway.pass(2_000);
      maxStored = Math.max(maxStored, (await stored()).length);
    }
  }
  await certificates().change('shop', thirdCertificate);
  await fairway.pass(2_000);
  cloud.faults.clear();
  await fairway.pass(120_000);

  const { fingerprint } = readCertificate({ data: thirdCertificate }) as TlsCertificate;
  const [now, ...others] = await stored();
  expect(maxStored).toBe(2);
  expect(others).toEqual([]);
  expect(now?.name).toContain(fingerprint.slice(0, 32));
  expect(await listeners()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test('does not serve a host in cleartext while its Secret is missing, but serves other hosts', async () => {
  fairway = await RoutedFairway.start();
  const other = { host: 'other.example', http: SPEC.rules?.[0]?.http };
  await fairway.create('shop', { ...TLS, rules: [...(TLS.rules ?? []), other] } as never);
  await fairway.pass(60_000);
  const before = await listeners();
  const policies = await fairway.policies();
  const warnings = await fairway.warnings();
  await certificates().make('shop', first);
  await fairway.pass(60_000);

  expect(before).toEqual({ 80: [] });
  expect(policies).toEqual([
    'shop.example to HTTPS -> undefined',
    'other.example/api -> pool_api_80',
    'other.example/ -> pool_web_80',
  ]);
  expect(warnings).toEqual([
    'spec.tls: Secret shop: there is no such Secret; its hosts are served without a certificate',
  ]);
  expect(await listeners()).toEqual({ 80: [], 443: [(await stored())[0]?.secret_ref] });
});

test('reports an invalid or deleted Secret, and keeps serving its last valid certificate', async () => {
  await withTls();
  const [old] = await stored();

  await certificates().change('shop', { 'tls.key': base64('junk') });
  await fairway.pass(30_000);
  await certificates().delete('shop');
  await fairway.pass(30_000);

  expect(await stored()).toMatchObject([{ id: old?.id }]);
  expect(await listeners()).toEqual({ 80: [], 443: [old?.secret_ref] });
  expect(await fairway.warnings()).toEqual([
    'spec.tls: Secret shop: tls.key is not an unencrypted PEM private key; its previous certificate is still served',
    'spec.tls: Secret shop: there is no such Secret; its previous certificate is still served',
  ]);
});

test('uses the first Secret as the default and selects the others by host', async () => {
  await withTls();
  await certificates().make('more', secondCertificate);
  const tls = [...TLS.tls, { hosts: ['more.example'], secretName: 'more' }];
  await fairway.patch('shop', { spec: { tls } });
  await fairway.pass(60_000);
  const both = await listeners();
  await fairway.patch('shop', { spec: { tls: null } });
  await fairway.pass(60_000);

  expect(both[443]).toHaveLength(2);
  expect(await listeners()).toEqual({ 80: [] });
  expect(await stored()).toEqual([]);
  expect(await fairway.policies()).toEqual(['shop.example/api -> pool_api_80', 'shop.example/ -> pool_web_80']);
});

test.each([
  ['ingress.fairway.dev/http', 'none', [443]],
  ['kubernetes.io/ingress.allow-http', 'false', [443]],
  ['ingress.fairway.dev/http', 'serve', [80, 443]],
])('serves %s: %s on ports %j', async (name, value, ports) => {
  fairway = await RoutedFairway.start();
  await certificates().make('shop', first);
  await fairway.create('shop', TLS, { [name]: value });
  await fairway.pass(60_000);

  expect(Object.keys(await listeners()).map(Number)).toEqual(ports);
  expect((await fairway.policies()).filter((each) => each.includes('HTTPS'))).toEqual([]);
});

test('leaves no certificate behind when an Ingress is deleted alone or with its cluster', async () => {
  await withTls();
  await fairway.create('other', TLS);
  await fairway.pass(60_000);
  const before = await stored();
  await fairway.delete('shop');
  await fairway.pass(60_000);
  const between = await stored();
  await fairway.balanced.fairway.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(before).toHaveLength(2);
  expect(between).toHaveLength(1);
  expect(await stored()).toEqual([]);
});

test('leaves no certificate behind if the cluster is deleted right after the Ingress is created', async () => {
  const lifecycle = { ...NO_LATENCY.lifecycle, loadBalancerCreate: 1_000, loadBalancerDelete: 1_000 };
  await withTls({ cloud: { latency: { ...NO_LATENCY, lifecycle } } });
  await fairway.pass(700_000);
  await fairway.create('other', TLS);
  await fairway.pass(5_000);
  const before = await stored();
  await fairway.balanced.fairway.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(before).toHaveLength(2);
  expect(await stored()).toEqual([]);
});

test('does not serve a foreign secret with the same name', async () => {
  const otherUser = { entry: 'simulator-other', user: 'colleague', project: 'demo', role: 'member' } as const;
  await withTls({ cloud: { entries: [...DEFAULT_CONFIG.entries.slice(0, 3), otherUser] } });
  const [own] = await stored();
  const bundle = { payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' } as const;
  const payload = Buffer.from([0x30, 0x03, 0x02, 0x01, 0x03]).toString('base64');
  let twin = '';
  await createForeignClient(fairway.balanced.fairway, async ({ keyManager }) => {
    twin = await keyManager.createSecret({ name: own?.name ?? '', payload, ...bundle });
    await keyManager.deleteSecret(own?.id ?? '');
  });
  await fairway.pass(660_000);
  await fairway.patch('shop', { metadata: { labels: { look: 'again' } } });
  await fairway.pass(120_000);

  const [now, ...others] = await stored();
  expect(others).toEqual([]);
  expect(now?.secret_ref).not.toBe(twin);
  expect(await listeners()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test.each<{ is: string; fault: Omit<FaultInput, 'service' | 'times'> }>([
  { is: 'fails', fault: { action: { kind: 'answer', status: 500 } } },
  { is: 'refuses everything', fault: { action: { kind: 'answer', status: 403 } } },
  { is: 'is full', fault: { method: 'POST', action: { kind: 'answer', status: 403 } } },
  { is: 'does not answer', fault: { action: { kind: 'drop' } } },
])('makes few calls while Barbican $is for three hours, and then creates every resource once', async ({ fault }) => {
  fairway = await RoutedFairway.start();
  const { cloud } = fairway.balanced.fairway;
  await certificates().make('shop', first);
  cloud.faults.add({ ...fault, service: 'key-manager', times: null });
  await fairway.create('shop', TLS);
  await fairway.pass(HOUR_MS);
  const sum = () => cloud.calls.counts().reduce((all, { count }) => all + count, 0);
  const before = sum();
  await fairway.pass(2 * HOUR_MS);
  const failingCalls = sum() - before;
  const events = await fairway.events();
  cloud.faults.clear();
  await fairway.pass(600_000);

  expect(failingCalls).toBeLessThanOrEqual(6 * 120);
  expect(events.length).toBeLessThanOrEqual(4);
  expect(await stored()).toHaveLength(1);
  expect(await listeners()).toEqual({ 80: [], 443: [(await stored())[0]?.secret_ref] });
});

test('serves the certificate that a killed process had stored', async () => {
  fairway = await RoutedFairway.start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'POST', times: null, action: { kind: 'answer', status: 500 } });
  await certificates().make('shop', first);
  await fairway.create('shop', TLS);
  await fairway.pass(30_000);
  const before = await stored();
  await fairway.balanced.clock.during(fairway.balanced.fairway.stopProcess());
  cloud.faults.clear();
  await fairway.balanced.clock.during(fairway.balanced.fairway.startProcess());
  await fairway.pass(120_000);

  expect(before).toHaveLength(1);
  expect(await stored()).toEqual(before);
  expect(await listeners()).toEqual({ 80: [], 443: [before[0]?.secret_ref] });
});

test.each([1, 2, 3])(
  'leaves one certificate when killed after write %i to the cluster, and none after the Ingress is deleted',
  async (writes) => {
    const crash = new Crash(/\/ingresses\//);
    fairway = await RoutedFairway.start(crash.options);
    await certificates().make('shop', first);
    await fairway.create('shop', TLS);
    crash.afterWrites(writes, () => {});
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);
    const createdSecrets = await stored();
    const served = await listeners();
    crash.afterWrites(1, () => {});
    await fairway.delete('shop');
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);

    expect(createdSecrets).toHaveLength(1);
    expect(served).toEqual({ 80: [], 443: [createdSecrets[0]?.secret_ref] });
    expect(await stored()).toEqual([]);
    expect(await fairway.names()).toEqual([]);
  },
);

test('finds a stored certificate whose response was lost, and does not store it again', async () => {
  fairway = await RoutedFairway.start();
  await certificates().make('shop', first);
  const dropped = { method: 'POST', times: 2, action: { kind: 'drop', when: 'after' } } as const;
  fairway.balanced.fairway.cloud.faults.add({ ...dropped, service: 'key-manager' });
  await fairway.create('shop', TLS);
  await fairway.pass(300_000);

  expect(await stored()).toHaveLength(1);
  expect(await listeners()).toEqual({ 80: [], 443: [(await stored())[0]?.secret_ref] });
});
