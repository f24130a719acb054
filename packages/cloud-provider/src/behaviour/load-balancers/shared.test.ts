import { clusters } from '@fairway/api/kinds/cluster';
import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { Events } from '@fairway/kube/kinds/resources';
import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { LIFE, LoadBalancedFairway } from '../../load-balancers/testing/balanced-fairway.ts';
import { withoutLists } from '../../load-balancers/testing/own-calls.ts';

const latency = { ...NO_LATENCY, life: { ...NO_LATENCY.life, ...LIFE } };
const NAMED = 'loadbalancer.openstack.org/load-balancer-id';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
/** What a change of a part of a load balancer takes here, and the next. */
const WHILE_MS = 40_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

async function start(loadBalancers: object = {}): Promise<void> {
  fairway = await LoadBalancedFairway.start({
    cloud: { latency },
    loadBalancers: CloudLoadBalancers.parse(loadBalancers),
  });
}

let nodePort = 30_000;
/** A Service for one port, once what becomes of it has become of it. */
async function serve(name: string, port: number, annotations: Record<string, string> = {}, spec = {}) {
  nodePort += 10;
  await fairway.create(name, { ports: [{ port }], ...spec }, annotations, nodePort);
  await fairway.clock.pass(WHILE_MS);
}

const addressOf = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
const annotationsOf = async (name: string) => (await fairway.get(name)).metadata.annotations ?? {};
const idOf = async (name: string) => (await annotationsOf(name))[NAMED] ?? '';
const readyOf = async (name: string) =>
  (await fairway.get(name)).status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');

/** What went wrong, as events tell it. */
async function failures(): Promise<readonly string[]> {
  const { items } = await fairway.fairway.runtime
    .client(fairway.clusterUid)
    .resource(Events)
    .list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ message }) => message ?? '');
}

async function remove(name: string): Promise<void> {
  await fairway.delete(name);
  await fairway.clock.pass(WHILE_MS);
}

/** Ports by load balancer, each with its number of members. */
async function served(): Promise<readonly string[]> {
  const trees = await fairway.trees();
  return trees.flatMap(({ loadBalancer, listeners, pools, members }) =>
    listeners.map(({ protocol_port, default_pool_id }) => {
      const at = pools.findIndex(({ id }) => id === default_pool_id);
      return `${loadBalancer.name} ${protocol_port}: ${members[at]?.length}`;
    }),
  );
}

async function made(): Promise<object> {
  const { load_balancers, floating_ips } = holdings(fairway.fairway.cloud);
  const trees = await fairway.trees();
  const parts = [trees.flatMap((tree) => tree.listeners).length, trees.flatMap((tree) => tree.pools).length];
  return { load_balancers, floating_ips, parts };
}

const NOTHING = { load_balancers: 0, floating_ips: 0, parts: [0, 0] };

// The scenario of cloud-provider-openstack's tests/e2e/cloudprovider/test-lb-service.sh, and the orders of deletion that it leaves out.
describe('a load balancer of two Services of one cluster', () => {
  test('is created for the first, named by the second, serves both, and is deleted with the last', async () => {
    await start();
    await serve('first', 80);
    const id = await idOf('first');
    await serve('second', 8080, { [NAMED]: id });
    const shared = await served();
    const addresses = [await addressOf('first'), await addressOf('second')];
    const conditions = [await readyOf('first'), await readyOf('second')];
    await remove('second');
    const alone = await served();
    await remove('first');

    expect(shared.toSorted()).toEqual([
      'kube_service_demo_default_first 8080: 2',
      'kube_service_demo_default_first 80: 2',
    ]);
    expect(addresses[0]).toMatch(/^203\./);
    expect(addresses[1]).toBe(addresses[0]);
    expect(conditions.map((condition) => condition?.status)).toEqual(['True', 'True']);
    expect(alone).toEqual(['kube_service_demo_default_first 80: 2']);
    expect(await made()).toEqual(NOTHING);
    expect(await failures()).toEqual([]);
  });

  test('remains when the first is deleted: the second owns it then, with its address, and may share it again', async () => {
    await start();
    await serve('first', 80);
    const id = await idOf('first');
    await serve('second', 8080, { [NAMED]: id });
    const address = await addressOf('second');
    await remove('first');
    const inherited = await served();
    await serve('third', 9090, { [NAMED]: id });
    const again = [await addressOf('second'), await addressOf('third')];
    await remove('second');
    const last = await served();
    await remove('third');

    expect(inherited).toEqual(['kube_service_demo_default_first 8080: 2']);
    expect(again).toEqual([address, address]);
    expect(last).toEqual(['kube_service_demo_default_first 9090: 2']);
    expect(await made()).toEqual(NOTHING);
    expect(await failures()).toEqual([]);
  });

  test('is refused to a third, until there is room', async () => {
    await start();
    await serve('first', 80);
    const id = await idOf('first');
    await serve('second', 8080, { [NAMED]: id });
    await serve('third', 9090, { [NAMED]: id });
    const refused = await readyOf('third');
    await remove('second');
    await fairway.clock.pass(WHILE_MS);

    expect(refused).toMatchObject({ status: 'False', message: expect.stringMatching(/used by 2 Services.*allows 2/) });
    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_first 9090: 2',
    ]);
  });

  test('takes as many as the operator allows', async () => {
    await start({ max_shared: 3 });
    await serve('first', 80);
    const id = await idOf('first');
    await serve('second', 81, { [NAMED]: id });
    await serve('third', 82, { [NAMED]: id });

    expect(await served()).toHaveLength(3);
  });

  test('has each port once: the later Service reports the owner, and gets the port when it is free', async () => {
    await start();
    await serve('first', 80);
    await serve('second', 80, { [NAMED]: await idOf('first') });
    const refused = await readyOf('second');
    const told = await failures();
    const ports = [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_900 }];
    await fairway.patch('first', { spec: { ports } });
    await fairway.clock.pass(2 * WHILE_MS);

    const message =
      'spec.ports: TCP/80 of the load balancer is already used by Service default/first; use another port';
    expect(refused).toMatchObject({ status: 'False', reason: 'ConfigurationInvalid', message });
    expect(told).toEqual([message]);
    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_first 81: 2',
    ]);
  });

  test('is changed by all concurrently without an Octavia conflict', async () => {
    await start({ max_shared: 4 });
    await serve('first', 80);
    const id = await idOf('first');
    const others = ['second', 'third', 'fourth'];
    for (const [index, name] of others.entries()) {
      await fairway.create(name, { ports: [{ port: 81 + index }] }, { [NAMED]: id }, 31_000 + 10 * index);
    }
    await fairway.patch('first', { spec: { loadBalancerSourceRanges: ['198.51.100.0/24'] } });
    await fairway.clock.pass(4 * WHILE_MS);
    const all = await served();
    await Promise.all(['first', ...others].map((name) => fairway.delete(name)));
    await fairway.clock.pass(6 * WHILE_MS);

    expect(all).toHaveLength(4);
    expect(await failures()).toEqual([]);
    expect(await made()).toEqual(NOTHING);
  });

  test('has TCP and UDP on one port', async () => {
    await start();
    await serve('first', 53);
    await serve('second', 53, { [NAMED]: await idOf('first') }, { ports: [{ port: 53, protocol: 'UDP' }] });

    expect((await readyOf('second'))?.status).toBe('True');
    expect(await served()).toHaveLength(2);
  });

  test('costs a change of tags and the parts, and nothing while idle', async () => {
    await start();
    await serve('first', 80);
    const joining = fairway.countCalls();
    await serve('second', 8080, { [NAMED]: await idOf('first') });
    const joined = joining();
    const resting = fairway.countCalls();
    await fairway.clock.pass(600_000);
    const rest = resting();

    const writes = Object.entries(joined).filter(([call]) => !call.startsWith('GET '));
    expect(Object.fromEntries(writes)).toEqual({
      'PUT /loadbalancers/{id}': 1,
      'POST /listeners': 1,
      'POST /pools': 1,
      'PUT /pools/{pool}/members': 1,
      'POST /healthmonitors': 1,
    });
    expect(withoutLists(rest)).toEqual({});
    expect(rest['GET /loadbalancers']).toBeLessThanOrEqual(12);
  });
});

describe('internal ones (https://github.com/kubernetes/cloud-provider-openstack/issues/2891)', () => {
  test('are shared by internal Services', async () => {
    await start();
    await serve('first', 80, { [INTERNAL]: 'true' });
    await serve('second', 81, { [INTERNAL]: 'true', [NAMED]: await idOf('first') });

    expect(await addressOf('second')).toMatch(/^10\./);
    expect(await addressOf('second')).toBe(await addressOf('first'));
    expect(await made()).toMatchObject({ load_balancers: 1, parts: [2, 2], floating_ips: 0 });
  });

  test.each([
    { host: 'true', guest: 'false', says: /is internal; set it to "true" here too/ },
    { host: 'false', guest: 'true', says: /is public, at 203\.[0-9.]+; remove it here/ },
  ])('internal: $host is not shared with internal: $guest', async ({ host, guest, says }) => {
    await start();
    await serve('first', 80, { [INTERNAL]: host });
    await serve('second', 81, { [INTERNAL]: guest, [NAMED]: await idOf('first') });

    expect((await readyOf('second'))?.message).toMatch(says);
    expect(await served()).toHaveLength(1);
  });
});

describe('a Service that changes its reference', () => {
  test('moves to the load balancer of another, and leaves its own', async () => {
    await start();
    await serve('first', 80);
    await serve('second', 81);
    const before = await made();
    await fairway.patch('second', { metadata: { annotations: { [NAMED]: await idOf('first') } } });
    await fairway.clock.pass(2 * WHILE_MS);

    expect(before).toMatchObject({ load_balancers: 2, floating_ips: 2 });
    expect(await made()).toMatchObject({ load_balancers: 1, parts: [2, 2], floating_ips: 1 });
    expect(await addressOf('second')).toBe(await addressOf('first'));
  });

  test('gets one of its own when it no longer names any', async () => {
    await start();
    await serve('first', 80);
    await serve('second', 81, { [NAMED]: await idOf('first') });
    await fairway.patch('second', { metadata: { annotations: { [NAMED]: null } } });
    await fairway.clock.pass(2 * WHILE_MS);

    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_second 81: 2',
    ]);
    expect(await addressOf('second')).not.toBe(await addressOf('first'));
  });
});

test('a Service that shares a failed load balancer follows its replacement', async () => {
  await start();
  await serve('first', 80);
  const id = await idOf('first');
  await serve('second', 81, { [NAMED]: id });
  await fairway.octavia.loadBalancers.deleteCascade(id);
  await fairway.clock.pass(240_000);

  const successor = await idOf('first');
  expect(successor).not.toBe(id);
  expect(await idOf('second')).toBe(successor);
  expect(await served()).toHaveLength(2);
  expect(await addressOf('second')).toBe(await addressOf('first'));
  expect(await made()).toMatchObject({ load_balancers: 1, floating_ips: 1 });
});

describe('immutable settings', () => {
  test('of a load balancer that others also use are reported, and all are still served', async () => {
    await start();
    await serve('first', 80);
    await serve('second', 81, { [NAMED]: await idOf('first') });
    const before = await served();
    await fairway.patch('first', { metadata: { annotations: { 'loadbalancer.fairway.dev/provider': 'ovn' } } });
    await fairway.clock.pass(WHILE_MS);

    expect((await readyOf('first'))?.message).toMatch(/provider .* cannot be changed while Service default\/second/);
    expect(await served()).toEqual(before);
  });
});

describe('a load balancer of the project that belongs to no cluster', () => {
  async function withTheirs(loadBalancers: object): Promise<string> {
    await start(loadBalancers);
    const [subnet] = await Array.fromAsync(fairway.network.subnets.list({ ip_version: 4 }));
    const { id } = await fairway.octavia.loadBalancers.create({
      name: 'theirs',
      vip_subnet_id: subnet?.id ?? '',
      tags: ['keep'],
    });
    await fairway.clock.pass(WHILE_MS);
    await fairway.octavia.listeners.create({ loadbalancer_id: id, protocol: 'TCP', protocol_port: 22 });
    await fairway.clock.pass(WHILE_MS);
    return id;
  }
  const theirs = async (id: string) => {
    const [tree] = (await fairway.trees()).filter(({ loadBalancer }) => loadBalancer.id === id);
    const { name, tags } = tree?.loadBalancer ?? {};
    return { name, tags, ports: tree?.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b) };
  };
  const UNTOUCHED = { name: 'theirs', tags: ['keep'], ports: [22] };

  test('is not used unless the operator allows it, whether it exists or not', async () => {
    const id = await withTheirs({});
    await serve('web', 80, { [NAMED]: id, [INTERNAL]: 'true' });
    await serve('other', 80, { [NAMED]: '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e', [INTERNAL]: 'true' });
    const [first, second] = [await readyOf('web'), await readyOf('other')];

    expect(first?.message).toContain(`${id} does not belong to a Service of this cluster`);
    expect(second?.message).toBe(first?.message?.replace(id, '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e'));
    expect(await theirs(id)).toEqual(UNTOUCHED);
  });

  test('is used if the operator allows it, and left as it was', async () => {
    const id = await withTheirs({ share_others: true });
    await serve('web', 80, { [NAMED]: id, [INTERNAL]: 'true' });
    await fairway.clock.pass(WHILE_MS);
    const used = await theirs(id);
    const address = await addressOf('web');
    await remove('web');
    await fairway.clock.pass(WHILE_MS);

    expect(used).toMatchObject({ name: 'theirs', ports: [22, 80] });
    expect(address).toBe((await fairway.octavia.loadBalancers.get(id)).vip_address);
    expect(await theirs(id)).toEqual(UNTOUCHED);
    expect(await fairway.exists('web')).toBe(false);
  });

  test('with an invalid id is refused in a short message, whatever the operator allows', async () => {
    await start({ share_others: true });
    await serve('web', 80, { [NAMED]: `../../${'x'.repeat(100_000)}` });
    const { message = '' } = (await readyOf('web')) ?? {};

    expect(message).toMatch(/"\.\.\/\.\.\/x+…" is not an ID: it must be a UUID$/);
    expect(message.length).toBeLessThan(300);
  });

  test('reports whose listener has a port, though Fairway’s lists do not show it', async () => {
    const id = await withTheirs({ share_others: true });
    await serve('web', 22, { [NAMED]: id, [INTERNAL]: 'true' });

    expect((await readyOf('web'))?.message).toMatch(/TCP\/22 of the load balancer is already used by listener/);
    expect((await theirs(id)).ports).toEqual([22]);
  });

  test('is left as it was when the cluster is deleted', async () => {
    const id = await withTheirs({ share_others: true });
    await serve('web', 80, { [NAMED]: id, [INTERNAL]: 'true' });
    await fairway.clock.pass(WHILE_MS);
    await fairway.fairway.delete(clusters, 'demo');
    await fairway.clock.pass(240_000);

    expect(await theirs(id)).toEqual(UNTOUCHED);
  });
});
