import { clusters } from '@fairway/api/kinds/cluster';
import { Crash } from '@fairway/controllers/testing/crash';
import { strangerIn } from '@fairway/controllers/testing/stranger';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { RoutedFairway, SPEC } from '../../ingresses/testing/routed-fairway.ts';
import { readCertificate, type TlsCertificate } from '../../tls/certificate.ts';
import { Certified } from '../../tls/testing/certified.ts';
import { base64, tlsData } from '../../tls/testing/tls-secret.ts';

const TLS = { ...SPEC, tls: [{ hosts: ['shop.example'], secretName: 'shop' }] };
const HOUR_MS = 3_600_000;

let first: Record<string, string>;
let second: Record<string, string>;
let third: Record<string, string>;
beforeAll(async () => {
  const host = 'shop.example';
  [first, second, third] = await Promise.all([tlsData(host), tlsData(host), tlsData(host)]);
});

let fairway: RoutedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

/** What the Secrets hold, and what is stored and served of it. */
function certified(): Certified {
  return new Certified(fairway.balanced);
}

function stored() {
  return certified().stored();
}

function listeners() {
  return certified().served();
}

async function withTls(options: TestFairwayOptions = {}): Promise<void> {
  fairway = await RoutedFairway.start(options);
  await certified().make('shop', first);
  await fairway.create('shop', TLS);
  await fairway.pass(60_000);
}

test('its Secret is stored in Barbican in one call, HTTPS serves it, and HTTP redirects there', async () => {
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

test('while idle it costs no call to Barbican, and none to the API server', async () => {
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

test('a new certificate replaces the old one, which is deleted only then', async () => {
  await withTls();
  const [old] = await stored();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });

  await certified().change('shop', second);
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

test('one that changes faster than Octavia is served in its last version, and exhausts nothing', async () => {
  await withTls();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 500 } });
  let most = 0;
  for (let round = 0; round < 3; round++) {
    for (const data of [second, await tlsData('shop.example')]) {
      await certified().change('shop', data);
      await fairway.pass(2_000);
      most = Math.max(most, (await stored()).length);
    }
  }
  await certified().change('shop', third);
  await fairway.pass(2_000);
  cloud.faults.clear();
  await fairway.pass(120_000);

  const { fingerprint } = readCertificate({ data: third }) as TlsCertificate;
  const [now, ...others] = await stored();
  expect(most).toBe(2);
  expect(others).toEqual([]);
  expect(now?.name).toContain(fingerprint.slice(0, 32));
  expect(await listeners()).toEqual({ 80: [], 443: [now?.secret_ref] });
});

test('a missing Secret that is created later: nothing is in cleartext meanwhile, and other hosts are served', async () => {
  fairway = await RoutedFairway.start();
  const other = { host: 'other.example', http: SPEC.rules?.[0]?.http };
  await fairway.create('shop', { ...TLS, rules: [...(TLS.rules ?? []), other] } as never);
  await fairway.pass(60_000);
  const before = await listeners();
  const policies = await fairway.policies();
  const warnings = await fairway.warnings();
  await certified().make('shop', first);
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

test('a Secret that becomes invalid or is deleted is reported, and its last certificate is served', async () => {
  await withTls();
  const [old] = await stored();

  await certified().change('shop', { 'tls.key': base64('junk') });
  await fairway.pass(30_000);
  await certified().delete('shop');
  await fairway.pass(30_000);

  expect(await stored()).toMatchObject([{ id: old?.id }]);
  expect(await listeners()).toEqual({ 80: [], 443: [old?.secret_ref] });
  expect(await fairway.warnings()).toEqual([
    'spec.tls: Secret shop: tls.key is not an unencrypted PEM private key; its previous certificate is still served',
    'spec.tls: Secret shop: there is no such Secret; its previous certificate is still served',
  ]);
});

test('several Secrets: the first is the default, the others are selected by their hosts', async () => {
  await withTls();
  await certified().make('more', second);
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
])('with %s: %s there are the ports %j', async (name, value, ports) => {
  fairway = await RoutedFairway.start();
  await certified().make('shop', first);
  await fairway.create('shop', TLS, { [name]: value });
  await fairway.pass(60_000);

  expect(Object.keys(await listeners()).map(Number)).toEqual(ports);
  expect((await fairway.policies()).filter((each) => each.includes('HTTPS'))).toEqual([]);
});

test('it leaves no certificate, whether it is deleted by itself or with its cluster', async () => {
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

test('it leaves no certificate in a cluster that is deleted right after', async () => {
  const life = { ...NO_LATENCY.life, loadBalancerCreate: 1_000, loadBalancerDelete: 1_000 };
  await withTls({ cloud: { latency: { ...NO_LATENCY, life } } });
  await fairway.pass(700_000);
  await fairway.create('other', TLS);
  await fairway.pass(5_000);
  const before = await stored();
  await fairway.balanced.fairway.delete(clusters, 'demo');
  await fairway.pass(120_000);

  expect(before).toHaveLength(2);
  expect(await stored()).toEqual([]);
});

test('a foreign secret of the same name is not served', async () => {
  const colleague = { entry: 'simulator-other', user: 'colleague', project: 'demo', role: 'member' } as const;
  await withTls({ cloud: { entries: [...DEFAULT_CONFIG.entries.slice(0, 3), colleague] } });
  const [own] = await stored();
  const bundle = { payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' } as const;
  const payload = Buffer.from([0x30, 0x03, 0x02, 0x01, 0x03]).toString('base64');
  let twin = '';
  await strangerIn(fairway.balanced.fairway, async ({ keyManager }) => {
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
])('a Barbican that $is for three hours costs a few calls a minute, then all is created once', async ({ fault }) => {
  fairway = await RoutedFairway.start();
  const { cloud } = fairway.balanced.fairway;
  await certified().make('shop', first);
  cloud.faults.add({ ...fault, service: 'key-manager', times: null });
  await fairway.create('shop', TLS);
  await fairway.pass(HOUR_MS);
  const sum = () => cloud.calls.counts().reduce((all, { count }) => all + count, 0);
  const before = sum();
  await fairway.pass(2 * HOUR_MS);
  const failing = sum() - before;
  const events = await fairway.events();
  cloud.faults.clear();
  await fairway.pass(600_000);

  expect(failing).toBeLessThanOrEqual(6 * 120);
  expect(events.length).toBeLessThanOrEqual(4);
  expect(await stored()).toHaveLength(1);
  expect(await listeners()).toEqual({ 80: [], 443: [(await stored())[0]?.secret_ref] });
});

test('what a killed process had stored is served by the next one', async () => {
  fairway = await RoutedFairway.start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'POST', times: null, action: { kind: 'answer', status: 500 } });
  await certified().make('shop', first);
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
  'one killed after its write %i to the cluster leaves one certificate, and none in the end',
  async (writes) => {
    const crash = new Crash(/\/ingresses\//);
    fairway = await RoutedFairway.start(crash.options);
    await certified().make('shop', first);
    await fairway.create('shop', TLS);
    crash.afterWrites(writes, () => {});
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);
    const made = await stored();
    const served = await listeners();
    crash.afterWrites(1, () => {});
    await fairway.delete('shop');
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);

    expect(made).toHaveLength(1);
    expect(served).toEqual({ 80: [], 443: [made[0]?.secret_ref] });
    expect(await stored()).toEqual([]);
    expect(await fairway.names()).toEqual([]);
  },
);

test('a store whose response is lost is found again, not repeated', async () => {
  fairway = await RoutedFairway.start();
  await certified().make('shop', first);
  const lost = { method: 'POST', times: 2, action: { kind: 'drop', when: 'after' } } as const;
  fairway.balanced.fairway.cloud.faults.add({ ...lost, service: 'key-manager' });
  await fairway.create('shop', TLS);
  await fairway.pass(300_000);

  expect(await stored()).toHaveLength(1);
  expect(await listeners()).toEqual({ 80: [], 443: [(await stored())[0]?.secret_ref] });
});
