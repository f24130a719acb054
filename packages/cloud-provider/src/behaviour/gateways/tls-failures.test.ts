import { Crash } from '@fairway/controllers/testing/crash';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Gateways } from '../../gateways/kinds.ts';
import { GatewayFairway, HTTP_AND_HTTPS, https } from '../../gateways/testing/gateway-fairway.ts';
import { CertificateFixture } from '../../tls/testing/certificate-fixture.ts';
import { tlsData } from '../../tls/testing/tls-secret.ts';

const HOUR_MS = 3_600_000;

let first: Record<string, string>;
beforeAll(async () => {
  first = await tlsData('shop.example');
});

let fairway: GatewayFairway;
let certificates: CertificateFixture;
afterEach(() => fairway[Symbol.asyncDispose]());

/** Starts with the Secret `shop`. */
async function start(options: TestFairwayOptions = {}): Promise<void> {
  fairway = await GatewayFairway.start(options);
  certificates = new CertificateFixture(fairway.balanced);
  await certificates.make('shop', first);
}

test.each<{ is: string; fault: Omit<FaultInput, 'service' | 'times'> }>([
  { is: 'fails', fault: { action: { kind: 'answer', status: 500 } } },
  { is: 'refuses everything', fault: { action: { kind: 'answer', status: 403 } } },
  { is: 'is full', fault: { method: 'POST', action: { kind: 'answer', status: 403 } } },
  { is: 'does not answer', fault: { action: { kind: 'drop' } } },
])('makes few calls while Barbican $is for two hours, and then creates every resource once', async ({ fault }) => {
  await start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ ...fault, service: 'key-manager', times: null });
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.createRoute('shop');
  await fairway.pass(HOUR_MS);
  const sum = () => cloud.calls.counts().reduce((all, { count }) => all + count, 0);
  const [before, previousConditions, seen] = [sum(), await fairway.conditions(), await fairway.get(Gateways, 'shop')];
  await fairway.pass(HOUR_MS);
  const [failingCalls, events, after] = [sum() - before, await fairway.events(), await fairway.get(Gateways, 'shop')];
  cloud.faults.clear();
  await fairway.pass(600_000);

  expect(previousConditions).toEqual(['Accepted True Accepted', 'Programmed False Pending']);
  expect(failingCalls).toBeLessThanOrEqual(6 * 60);
  expect(after.metadata.resourceVersion).toBe(seen.metadata.resourceVersion);
  expect(events.length).toBeLessThanOrEqual(4);
  expect(await certificates.stored()).toHaveLength(1);
  expect(await certificates.served()).toEqual({ 80: [], 443: await certificates.storedRefs() });
});

test('serves the certificate that a killed process had stored', async () => {
  await start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'load-balancer', method: 'POST', times: null, action: { kind: 'answer', status: 500 } });
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.pass(30_000);
  const before = await certificates.storedRefs();
  await fairway.balanced.clock.during(fairway.balanced.fairway.stopProcess());
  cloud.faults.clear();
  await fairway.balanced.clock.during(fairway.balanced.fairway.startProcess());
  await fairway.pass(120_000);

  expect(before).toHaveLength(1);
  expect(await certificates.storedRefs()).toEqual(before);
  expect(await certificates.served()).toEqual({ 80: [], 443: before });
});

test.each([1, 2, 3, 4])(
  'leaves one certificate when killed after write %i to the cluster, and none after the Gateway is deleted',
  async (writes) => {
    const crash = new Crash(/\/gateways\//);
    await start(crash.options);
    await fairway.createGateway('shop', HTTP_AND_HTTPS);
    await fairway.createRoute('shop');
    crash.afterWrites(writes, () => {});
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);
    const createdRefs = await certificates.storedRefs();
    const served = await certificates.served();
    crash.afterWrites(1, () => {});
    await fairway.delete(Gateways, 'shop');
    await fairway.pass(60_000);
    await fairway.balanced.fairway.stopProcess();
    crash.end();
    await fairway.balanced.fairway.startProcess();
    await fairway.pass(120_000);

    expect(createdRefs).toHaveLength(1);
    expect(served).toEqual({ 80: [], 443: createdRefs });
    expect(await certificates.stored()).toEqual([]);
    expect(await fairway.names(Gateways)).toEqual([]);
  },
);

test('finds a stored certificate whose response was lost, and does not store it again', async () => {
  await start();
  const dropped = { method: 'POST', times: 2, action: { kind: 'drop', when: 'after' } } as const;
  fairway.balanced.fairway.cloud.faults.add({ ...dropped, service: 'key-manager' });
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.pass(300_000);

  expect(await certificates.stored()).toHaveLength(1);
  expect(await certificates.served()).toEqual({ 80: [], 443: await certificates.storedRefs() });
});

test.each<{ is: string; fields: object; fault: FaultInput | undefined }>([
  {
    is: 'cannot be created',
    fields: {},
    fault: { service: 'load-balancer', method: 'POST', times: null, action: { kind: 'answer', status: 500 } },
  },
  { is: 'cannot get its address', fields: { addresses: [{ value: '198.51.100.99' }] }, fault: undefined },
])(
  'does not exhaust the quota when the Secret changes repeatedly for a load balancer that $is',
  async ({ fields, fault }) => {
    await start();
    const { cloud } = fairway.balanced.fairway;
    if (fault) cloud.faults.add(fault);
    const spec = (secret: string) => ({ ...HTTP_AND_HTTPS, ...fields, listeners: [https(secret)] });
    await fairway.createGateway('shop', spec('shop'));
    await fairway.pass(60_000);
    for (const secret of ['second', 'third', 'fourth', 'fifth']) {
      await certificates.make(secret, first);
      await fairway.patch(Gateways, 'shop', { spec: spec(secret) });
      await fairway.pass(60_000);
    }

    expect((await certificates.stored()).length).toBeLessThanOrEqual(2);
  },
);

test('serves an HTTP Gateway even if Barbican denies access', async () => {
  await start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ service: 'key-manager', times: null, action: { kind: 'answer', status: 403 } });
  await fairway.createGateway('shop');
  await fairway.pass(60_000);

  expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  expect(await fairway.addresses()).toHaveLength(1);
});

test('does not exhaust the quota with Secrets of an immutable load balancer, and deletes their copies once it can be changed', async () => {
  await start();
  const { cloud } = fairway.balanced.fairway;
  const useCertificates = (names: readonly string[]) => {
    const tls = { certificateRefs: names.map((name) => ({ name })) };
    return fairway.patch(Gateways, 'shop', { spec: { listeners: [https('', { tls })] } });
  };
  await fairway.createGateway('shop', HTTP_AND_HTTPS);
  await fairway.pass(60_000);
  cloud.faults.add({ service: 'load-balancer', method: 'PUT', times: null, action: { kind: 'answer', status: 403 } });
  for (const round of [1, 2, 3, 4]) {
    const names = Array.from({ length: 20 }, (_, index) => `secret-${round}-${index}`);
    for (const name of names) await certificates.make(name, first);
    await useCertificates(names);
    await fairway.pass(120_000);
  }
  const maxStored = (await certificates.stored()).length;
  cloud.faults.clear();
  await useCertificates(['shop']);
  await fairway.pass(300_000);

  expect(maxStored).toBeLessThanOrEqual(60);
  expect(await certificates.stored()).toHaveLength(1);
  expect(await certificates.served()).toEqual({ 443: await certificates.storedRefs() });
});
