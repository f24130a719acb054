import type { FaultInput } from '@fairway/simulator/http/faults';
import { afterEach, expect, test } from 'vitest';
import { prefix, RoutedFairway } from '../../ingresses/testing/routed-fairway.ts';

const HOUR_MS = 3_600_000;
const sum = (calls: Readonly<Record<string, number>>) => Object.values(calls).reduce((a, b) => a + b, 0);
const octavia = (fields: Omit<FaultInput, 'service' | 'times'>): FaultInput => ({
  ...fields,
  service: 'load-balancer',
  times: null,
});

let fairway: RoutedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

test.each<{ is: string; fault: FaultInput }>([
  { is: 'fails', fault: octavia({ action: { kind: 'answer', status: 500 } }) },
  { is: 'refuses every write', fault: octavia({ method: 'POST', action: { kind: 'answer', status: 403 } }) },
  { is: 'does not answer', fault: octavia({ action: { kind: 'drop' } }) },
  {
    is: 'drops the connection of every write',
    fault: octavia({ method: 'POST', action: { kind: 'drop', when: 'before' } }),
  },
])(
  'makes few calls and events while Octavia $is for three hours, and then creates every resource once',
  async ({ fault }) => {
    fairway = await RoutedFairway.start();
    const { cloud } = fairway.balanced.fairway;
    cloud.faults.add(fault);
    await fairway.create('shop');
    await fairway.pass(HOUR_MS);
    const calls = fairway.balanced.countCalls();
    await fairway.pass(2 * HOUR_MS);
    const failingCalls = sum(calls());
    const events = await fairway.events();

    cloud.faults.clear();
    await fairway.pass(600_000);

    expect(failingCalls).toBeLessThanOrEqual(4 * 120);
    expect(events.length).toBeLessThanOrEqual(4);
    expect(await fairway.balanced.trees()).toHaveLength(1);
    expect(await fairway.balanced.floatingIps()).toHaveLength(1);
    expect((await fairway.get('shop')).status?.loadBalancer?.ingress).toHaveLength(1);
  },
);

test('creates a policy once, even if its response was lost', async () => {
  fairway = await RoutedFairway.startWithShop();
  const { cloud } = fairway.balanced.fairway;
  const dropped = { path: 'l7policies', method: 'POST', times: 2, action: { kind: 'drop', when: 'after' } } as const;
  cloud.faults.add({ ...dropped, service: 'load-balancer' });

  const paths = [prefix('/', 'web'), prefix('/a', 'api'), prefix('/b', 'api')];
  await fairway.patch('shop', { spec: { rules: [{ host: 'shop.example', http: { paths } }] } });
  await fairway.pass(300_000);

  expect(await fairway.policies()).toEqual([
    'shop.example/a -> pool_api_80',
    'shop.example/b -> pool_api_80',
    'shop.example/ -> pool_web_80',
  ]);
});

test('recreates a load balancer that never worked, and keeps the floating IP of one that did', async () => {
  fairway = await RoutedFairway.start();
  const { cloud } = fairway.balanced.fairway;
  cloud.faults.add({ action: { kind: 'loadBalancerError' } });
  await fairway.create('shop');
  await fairway.pass(300_000);
  const [floatingIp] = await fairway.balanced.floatingIps();
  const [first] = await fairway.balanced.trees();
  cloud.faults.add({ action: { kind: 'loadBalancerError' }, times: 2 });
  await fairway.patch('shop', {
    spec: { rules: [{ host: 'shop.example', http: { paths: [prefix('/', 'api')] } }] },
  });
  await fairway.pass(900_000);

  expect(first?.loadBalancer.provisioning_status).toBe('ACTIVE');
  expect(await fairway.balanced.trees()).toMatchObject([{ loadBalancer: { provisioning_status: 'ACTIVE' } }]);
  expect(await fairway.policies()).toEqual(['shop.example/ -> pool_api_80']);
  expect((await fairway.balanced.floatingIps()).map(({ id }) => id)).toEqual([floatingIp?.id]);
});
