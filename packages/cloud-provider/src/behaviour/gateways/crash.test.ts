import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { Crash } from '@fairway/controllers/testing/crash';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Gateways } from '../../gateways/kinds.ts';
import { BOTH, GATEWAY, GatewayFairway, https } from '../../gateways/testing/gateway-fairway.ts';
import { Certified } from '../../tls/testing/certified.ts';
import { tlsData } from '../../tls/testing/tls-secret.ts';

/*
 * A process that ends after the cloud has done a call of it, for each call that a certificate takes, of Barbican's and of Octavia's: the next process ends what was
 * begun. Nothing is left over, and nothing is duplicated.
 */

const life = { loadBalancerCreate: 2_000, loadBalancerUpdate: 500, loadBalancerDelete: 1_000 };
const latency = { ...NO_LATENCY, life: { ...NO_LATENCY.life, ...life } };
/** More calls than anything here takes. */
const MAX_CALLS = 40;
const WHILE_MS = 20_000;

const SHOP = { ...GATEWAY, listeners: [https('shop')] };

let first: Record<string, string>;
let second: Record<string, string>;
beforeAll(async () => {
  [first, second] = await Promise.all([tlsData('shop.example'), tlsData('shop.example')]);
});

let fairway: GatewayFairway;
let certified: Certified;
afterEach(() => fairway[Symbol.asyncDispose]());

interface Story {
  readonly begin: () => Promise<unknown>;
  readonly change: () => Promise<unknown>;
  /** What is served by how many ports, and how much is stored, however often the process has died. */
  readonly after: { readonly ports: readonly string[]; readonly stored: number };
}

const contents = () => {
  const { load_balancers, floating_ips } = holdings(fairway.balanced.fairway.cloud);
  return { load_balancers, floating_ips };
};

/** Kills after the first call, the second, and so on until the change takes no more. Resolves with how many it takes. */
async function killAfterEachCall({ begin, change, after }: Story): Promise<number> {
  const crash = new Crash(/\/lbaas\/|\/floatingips|\/v1\/secrets/);
  fairway = await GatewayFairway.start({ cloud: { latency }, ...crash.options });
  certified = new Certified(fairway.balanced);
  await certified.make('shop', first);
  const { fairway: whole } = fairway.balanced;
  for (let calls = 1; calls <= MAX_CALLS; calls++) {
    await certified.change('shop', first);
    await begin();
    await fairway.pass(WHILE_MS);
    crash.afterCalls(calls);
    await change();
    await fairway.pass(WHILE_MS);
    const hasDied = crash.hasHappened;
    await whole.stopProcess();
    crash.end();
    await whole.startProcess();
    await fairway.pass(2 * WHILE_MS);
    const served = await certified.served();
    const stored = await certified.storedRefs();
    expect({ calls, ports: Object.keys(served), stored: stored.length }).toEqual({ calls, ...after });
    expect(Object.values(served).flat()).toEqual(stored);
    for (const name of await fairway.names(Gateways)) await fairway.delete(Gateways, name ?? '');
    await fairway.pass(2 * WHILE_MS);
    expect({ calls, ...contents(), stored: await certified.storedRefs() }).toEqual({
      calls,
      load_balancers: 0,
      floating_ips: 0,
      stored: [],
    });
    if (!hasDied) return calls - 1;
  }
  throw new Error(`it takes more than ${MAX_CALLS} calls`);
}

test('creating one', async () => {
  const calls = await killAfterEachCall({
    begin: async () => {},
    change: () => fairway.createGateway('shop', SHOP),
    after: { ports: ['443'], stored: 1 },
  });

  expect(calls).toBeGreaterThan(4);
});

test('a new certificate', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', SHOP),
    change: () => certified.change('shop', second),
    after: { ports: ['443'], stored: 1 },
  });

  expect(calls).toBeGreaterThan(3);
});

test('removing a listener', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', BOTH),
    change: () => fairway.patch(Gateways, 'shop', { spec: { listeners: GATEWAY.listeners } }),
    after: { ports: ['80'], stored: 0 },
  });

  expect(calls).toBeGreaterThan(2);
});

test('deleting one', async () => {
  const calls = await killAfterEachCall({
    begin: () => fairway.createGateway('shop', SHOP),
    change: () => fairway.delete(Gateways, 'shop'),
    after: { ports: [], stored: 0 },
  });

  expect(calls).toBeGreaterThan(3);
});
