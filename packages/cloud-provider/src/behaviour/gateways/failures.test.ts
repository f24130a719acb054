import type { FaultInput } from '@fairway/simulator/http/faults';
import { afterEach, expect, test } from 'vitest';
import { Gateways, HttpRoutes } from '../../gateways/kinds.ts';
import { GatewayFairway, prefix } from '../../gateways/testing/gateway-fairway.ts';

const HOUR_MS = 3_600_000;
const sum = (calls: Readonly<Record<string, number>>) => Object.values(calls).reduce((a, b) => a + b, 0);
const octavia = (fields: Omit<FaultInput, 'service' | 'times'>): FaultInput => ({
  ...fields,
  service: 'load-balancer',
  times: null,
});

let fairway: GatewayFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

test.each<{ is: string; fault: FaultInput }>([
  { is: 'fails', fault: octavia({ action: { kind: 'answer', status: 500 } }) },
  { is: 'refuses every write', fault: octavia({ method: 'POST', action: { kind: 'answer', status: 403 } }) },
])(
  'makes few calls and writes while Octavia $is for two hours, and then creates every resource once',
  async ({ fault }) => {
    fairway = await GatewayFairway.start();
    const { cloud } = fairway.balanced.fairway;
    cloud.faults.add(fault);
    await fairway.createGateway('shop');
    await fairway.createRoute('shop');
    await fairway.pass(HOUR_MS);
    const [previousConditions, calls, before] = [
      await fairway.conditions(),
      fairway.balanced.countCalls(),
      await fairway.get(Gateways, 'shop'),
    ];
    await fairway.pass(HOUR_MS);
    const [failingCalls, events, after] = [sum(calls()), await fairway.events(), await fairway.get(Gateways, 'shop')];

    cloud.faults.clear();
    await fairway.pass(600_000);

    expect(previousConditions).toEqual(['Accepted True Accepted', 'Programmed False Pending']);
    expect(failingCalls).toBeLessThanOrEqual(4 * 60);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(events.length).toBeLessThanOrEqual(4);
    expect(await fairway.balanced.trees()).toHaveLength(1);
    expect(await fairway.balanced.floatingIps()).toHaveLength(1);
    expect(await fairway.addresses()).toHaveLength(1);
  },
);

test('keeps reporting a working Gateway as working while a change cannot be applied', async () => {
  fairway = await GatewayFairway.startWithShop();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add(octavia({ method: 'POST', action: { kind: 'answer', status: 500 } }));
  await fairway.patch(HttpRoutes, 'shop', {
    spec: { rules: [prefix('/', 'web'), prefix('/api', 'api'), prefix('/x', 'web')] },
  });
  await fairway.pass(120_000);
  const [during, policies] = [await fairway.conditions(), await fairway.policies()];
  cloud.faults.clear();
  await fairway.pass(600_000);

  expect(during).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
  expect(policies).toHaveLength(2);
  expect(await fairway.policies()).toHaveLength(3);
});

test('recreates a load balancer that never worked', async () => {
  fairway = await GatewayFairway.start();
  fairway.balanced.fairway.cloud.faults.add({ action: { kind: 'loadBalancerError' } });
  await fairway.createGateway('shop');
  await fairway.pass(300_000);

  expect(await fairway.balanced.trees()).toMatchObject([{ loadBalancer: { provisioning_status: 'ACTIVE' } }]);
  expect(await fairway.conditions()).toEqual(['Accepted True Accepted', 'Programmed True Programmed']);
});
