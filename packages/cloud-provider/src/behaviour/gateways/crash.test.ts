import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Crash } from '@fairway/controllers/testing/crash';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Gateways } from '../../gateways/kinds.ts';
import { GATEWAY, GatewayFairway, HTTP_AND_HTTPS, https } from '../../gateways/testing/gateway-fairway.ts';
import { CertificateFixture } from '../../tls/testing/certificate-fixture.ts';
import { tlsData } from '../../tls/testing/tls-secret.ts';

/*
 * The process dies right after the cloud has executed one of its calls. This is repeated for each call to Barbican and
 * Octavia that a certificate requires. The next process completes the work, without leftovers or duplicates.
 */

const lifecycle = { loadBalancerCreate: 2_000, loadBalancerUpdate: 500, loadBalancerDelete: 1_000 };
const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...lifecycle } };
/** More calls than any of these changes needs. */
const MAX_CALLS = 40;
const SETTLE_MS = 20_000;

const SHOP = { ...GATEWAY, listeners: [https('shop')] };

let first: Record<string, string>;
let secondCertificate: Record<string, string>;
beforeAll(async () => {
  [first, secondCertificate] = await Promise.all([tlsData('shop.example'), tlsData('shop.example')]);
});

let fairway: GatewayFairway;
let certificates: CertificateFixture;
afterEach(() => fairway[Symbol.asyncDispose]());

interface Scenario {
  readonly begin: () => Promise<unknown>;
  readonly change: () => Promise<unknown>;
  /** The ports that are served, and what is stored, regardless of how often the process has died. */
  readonly after: { readonly ports: readonly string[]; readonly stored: number };
}

const contents = () => {
  const { load_balancers, floating_ips } = resourceCounts(fairway.balanced.fairway.cloud);
  return { load_balancers, floating_ips };
};

/**
 * Kills the process after the first call, the second, and so on, until the change needs no more calls. Resolves with
 * the number of calls.
 */
async function killAfterEachCall({ begin, change, after }: Scenario): Promise<number> {
  const crash = new Crash(/\/lbaas\/|\/floatingips|\/v1\/secrets/);
  fairway = await GatewayFairway.start({ cloud: { latency }, ...crash.options });
  certificates = new CertificateFixture(fairway.balanced);
  await certificates.make('shop', first);
  const { fairway: testFairway } = fairway.balanced;
  for (let calls = 1; calls <= MAX_CALLS; calls++) {
    await certificates.change('shop', first);
    await begin();
    await fairway.pass(SETTLE_MS);
    crash.afterCalls(calls);
    await change();
    await fairway.pass(SETTLE_MS);
    const hasDied = crash.hasOccurred;
    await testFairway.stopProcess();
    crash.end();
    await testFairway.startProcess();
    await fairway.pass(2 * SETTLE_MS);
    const served = await certificates.served();
    const stored = await certificates.storedRefs();
    expect({ calls, ports: Object.keys(served), stored: stored.length }).toEqual({ calls, ...after });
    expect(Object.values(served).flat()).toEqual(stored);
    for (const name of await fairway.names(Gateways)) await fairway.delete(Gateways, name ?? '');
    await fairway.pass(2 * SETTLE_MS);
    expect({ calls, ...contents(), stored: await certificates.storedRefs() }).toEqual({
      calls,
      load_balancers: 0,
      floating_ips: 0,
      stored: [],
    });
    if (!hasDied) return calls - 1;
  }
  throw new Error(`it takes more than ${MAX_CALLS} calls`);
}

test('creates a Gateway', async () => {
  const calls = await killAfterEachCall({
    begin: async () => {},
    change: () => fairway.createGateway('shop', SHOP),
    after: { ports: ['443'], stored: 1 },
  });

  expect(calls).toBeGreaterThan(4);
});

test('replaces a certificate', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', SHOP),
    change: () => certificates.change('shop', secondCertificate),
    after: { ports: ['443'], stored: 1 },
  });

  expect(calls).toBeGreaterThan(3);
});

test('removes a listener', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', HTTP_AND_HTTPS),
    change: () => fairway.patch(Gateways, 'shop', { spec: { listeners: GATEWAY.listeners } }),
    after: { ports: ['80'], stored: 0 },
  });

  expect(calls).toBeGreaterThan(2);
});

test('deletes a Gateway', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', SHOP),
    change: () => fairway.delete(Gateways, 'shop'),
    after: { ports: [], stored: 0 },
  });

  expect(calls).toBeGreaterThan(3);
});
