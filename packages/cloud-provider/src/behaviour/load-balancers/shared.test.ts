import { clusters } from '@fairway/api/kinds/cluster';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { Events } from '@fairway/kube/kinds/resources';
import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const LOAD_BALANCER_ID_ANNOTATION = 'loadbalancer.openstack.org/load-balancer-id';
const INTERNAL_ANNOTATION = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
/** Long enough for two successive changes to a load balancer. */
const SETTLE_MS = 40_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

async function start(loadBalancers: object = {}): Promise<void> {
  fairway = await LoadBalancedFairway.start({
    cloud: { latency },
    loadBalancers: CloudLoadBalancers.parse(loadBalancers),
  });
}

let nodePort = 30_000;
/** Creates a Service with one port, and waits until it has settled. */
async function serveService(name: string, port: number, annotations: Record<string, string> = {}, spec = {}) {
  nodePort += 10;
  await fairway.create(name, { ports: [{ port }], ...spec }, annotations, nodePort);
  await fairway.clock.pass(SETTLE_MS);
}

const addressOf = async (name: string) => (await fairway.get(name)).status?.loadBalancer?.ingress?.[0]?.ip;
const annotationsOf = async (name: string) => (await fairway.get(name)).metadata.annotations ?? {};
const idOf = async (name: string) => (await annotationsOf(name))[LOAD_BALANCER_ID_ANNOTATION] ?? '';
const readyOf = async (name: string) =>
  (await fairway.get(name)).status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady');

/** Failures that events report. */
async function failures(): Promise<readonly string[]> {
  const { items } = await fairway.fairway.runtime
    .client(fairway.clusterUid)
    .resource(Events)
    .list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ message }) => message ?? '');
}

async function remove(name: string): Promise<void> {
  await fairway.delete(name);
  await fairway.clock.pass(SETTLE_MS);
}

/** Served ports with the names of their load balancers and their numbers of members. */
async function served(): Promise<readonly string[]> {
  const trees = await fairway.trees();
  return trees.flatMap(({ loadBalancer, listeners, pools, members }) =>
    listeners.map(({ protocol_port, default_pool_id }) => {
      const at = pools.findIndex(({ id }) => id === default_pool_id);
      return `${loadBalancer.name} ${protocol_port}: ${members[at]?.length}`;
    }),
  );
}

async function holdings(): Promise<object> {
  const { load_balancers, floating_ips } = resourceCounts(fairway.fairway.cloud);
  const trees = await fairway.trees();
  const parts = [trees.flatMap((tree) => tree.listeners).length, trees.flatMap((tree) => tree.pools).length];
  return { load_balancers, floating_ips, parts };
}

const EMPTY_USAGE = { load_balancers: 0, floating_ips: 0, parts: [0, 0] };

// The scenario of cloud-provider-openstack's tests/e2e/cloudprovider/test-lb-service.sh, and the deletion orders that
// it omits.
describe('a load balancer shared by two Services of a cluster', () => {
  test('is created for the first Service, referenced by the second, serves both, and is deleted with the last', async () => {
    await start();
    await serveService('first', 80);
    const id = await idOf('first');
    await serveService('second', 8080, { [LOAD_BALANCER_ID_ANNOTATION]: id });
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
    expect(await holdings()).toEqual(EMPTY_USAGE);
    expect(await failures()).toEqual([]);
  });

  test('remains when the first Service is deleted: the second then owns it with its address, and may share it again', async () => {
    await start();
    await serveService('first', 80);
    const id = await idOf('first');
    await serveService('second', 8080, { [LOAD_BALANCER_ID_ANNOTATION]: id });
    const address = await addressOf('second');
    await remove('first');
    const servedAfterTakeover = await served();
    await serveService('third', 9090, { [LOAD_BALANCER_ID_ANNOTATION]: id });
    const again = [await addressOf('second'), await addressOf('third')];
    await remove('second');
    const last = await served();
    await remove('third');

    expect(servedAfterTakeover).toEqual(['kube_service_demo_default_first 8080: 2']);
    expect(again).toEqual([address, address]);
    expect(last).toEqual(['kube_service_demo_default_first 9090: 2']);
    expect(await holdings()).toEqual(EMPTY_USAGE);
    expect(await failures()).toEqual([]);
  });

  test('is not available to a third Service until there is room', async () => {
    await start();
    await serveService('first', 80);
    const id = await idOf('first');
    await serveService('second', 8080, { [LOAD_BALANCER_ID_ANNOTATION]: id });
    await serveService('third', 9090, { [LOAD_BALANCER_ID_ANNOTATION]: id });
    const refused = await readyOf('third');
    await remove('second');
    await fairway.clock.pass(SETTLE_MS);

    expect(refused).toMatchObject({ status: 'False', message: expect.stringMatching(/used by 2 Services.*allows 2/) });
    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_first 9090: 2',
    ]);
  });

  test('serves as many Services as the operator allows', async () => {
    await start({ max_shared: 3 });
    await serveService('first', 80);
    const id = await idOf('first');
    await serveService('second', 81, { [LOAD_BALANCER_ID_ANNOTATION]: id });
    await serveService('third', 82, { [LOAD_BALANCER_ID_ANNOTATION]: id });

    expect(await served()).toHaveLength(3);
  });

  test('has each port only once: the later Service reports the owner, and gets the port once it is free', async () => {
    await start();
    await serveService('first', 80);
    await serveService('second', 80, { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') });
    const refused = await readyOf('second');
    const reported = await failures();
    const ports = [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_900 }];
    await fairway.patch('first', { spec: { ports } });
    await fairway.clock.pass(2 * SETTLE_MS);

    const message =
      'spec.ports: TCP/80 of the load balancer is already used by Service default/first; use another port';
    expect(refused).toMatchObject({ status: 'False', reason: 'ConfigurationInvalid', message });
    expect(reported).toEqual([message]);
    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_first 81: 2',
    ]);
  });

  test('is changed by all Services concurrently without an Octavia conflict', async () => {
    await start({ max_shared: 4 });
    await serveService('first', 80);
    const id = await idOf('first');
    const others = ['second', 'third', 'fourth'];
    for (const [index, name] of others.entries()) {
      await fairway.create(
        name,
        { ports: [{ port: 81 + index }] },
        { [LOAD_BALANCER_ID_ANNOTATION]: id },
        31_000 + 10 * index,
      );
    }
    await fairway.patch('first', { spec: { loadBalancerSourceRanges: ['198.51.100.0/24'] } });
    await fairway.clock.pass(4 * SETTLE_MS);
    const all = await served();
    await Promise.all(['first', ...others].map((name) => fairway.delete(name)));
    await fairway.clock.pass(6 * SETTLE_MS);

    expect(all).toHaveLength(4);
    expect(await failures()).toEqual([]);
    expect(await holdings()).toEqual(EMPTY_USAGE);
  });

  test('serves TCP and UDP on one port', async () => {
    await start();
    await serveService('first', 53);
    await serveService(
      'second',
      53,
      { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') },
      { ports: [{ port: 53, protocol: 'UDP' }] },
    );

    expect((await readyOf('second'))?.status).toBe('True');
    expect(await served()).toHaveLength(2);
  });

  test('costs one tag update in addition to its listeners and pools, and no calls while idle', async () => {
    await start();
    await serveService('first', 80);
    const callsWhileJoining = fairway.countCalls();
    await serveService('second', 8080, { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') });
    const joined = callsWhileJoining();
    const idleCalls = fairway.countCalls();
    await fairway.clock.pass(600_000);
    const rest = idleCalls();

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

describe('internal load balancers (https://github.com/kubernetes/cloud-provider-openstack/issues/2891)', () => {
  test('are shared by internal Services', async () => {
    await start();
    await serveService('first', 80, { [INTERNAL_ANNOTATION]: 'true' });
    await serveService('second', 81, {
      [INTERNAL_ANNOTATION]: 'true',
      [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first'),
    });

    expect(await addressOf('second')).toMatch(/^10\./);
    expect(await addressOf('second')).toBe(await addressOf('first'));
    expect(await holdings()).toMatchObject({ load_balancers: 1, parts: [2, 2], floating_ips: 0 });
  });

  test.each([
    { host: 'true', guest: 'false', says: /is internal; set it to "true" here too/ },
    { host: 'false', guest: 'true', says: /is public, at 203\.[0-9.]+; remove it here/ },
  ])('are not shared between internal: $host and internal: $guest', async ({ host, guest, says }) => {
    await start();
    await serveService('first', 80, { [INTERNAL_ANNOTATION]: host });
    await serveService('second', 81, {
      [INTERNAL_ANNOTATION]: guest,
      [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first'),
    });

    expect((await readyOf('second'))?.message).toMatch(says);
    expect(await served()).toHaveLength(1);
  });
});

describe('a Service that changes its reference', () => {
  test('moves to another load balancer and gives up its own', async () => {
    await start();
    await serveService('first', 80);
    await serveService('second', 81);
    const before = await holdings();
    await fairway.patch('second', {
      metadata: { annotations: { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') } },
    });
    await fairway.clock.pass(2 * SETTLE_MS);

    expect(before).toMatchObject({ load_balancers: 2, floating_ips: 2 });
    expect(await holdings()).toMatchObject({ load_balancers: 1, parts: [2, 2], floating_ips: 1 });
    expect(await addressOf('second')).toBe(await addressOf('first'));
  });

  test('gets its own load balancer when it no longer refers to another', async () => {
    await start();
    await serveService('first', 80);
    await serveService('second', 81, { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') });
    await fairway.patch('second', { metadata: { annotations: { [LOAD_BALANCER_ID_ANNOTATION]: null } } });
    await fairway.clock.pass(2 * SETTLE_MS);

    expect((await served()).toSorted()).toEqual([
      'kube_service_demo_default_first 80: 2',
      'kube_service_demo_default_second 81: 2',
    ]);
    expect(await addressOf('second')).not.toBe(await addressOf('first'));
  });
});

test('moves a Service from a failed shared load balancer to its replacement', async () => {
  await start();
  await serveService('first', 80);
  const id = await idOf('first');
  await serveService('second', 81, { [LOAD_BALANCER_ID_ANNOTATION]: id });
  await fairway.octavia.loadBalancers.deleteCascade(id);
  await fairway.clock.pass(240_000);

  const successor = await idOf('first');
  expect(successor).not.toBe(id);
  expect(await idOf('second')).toBe(successor);
  expect(await served()).toHaveLength(2);
  expect(await addressOf('second')).toBe(await addressOf('first'));
  expect(await holdings()).toMatchObject({ load_balancers: 1, floating_ips: 1 });
});

describe('immutable settings', () => {
  test('are reported on a shared load balancer, and all Services are still served', async () => {
    await start();
    await serveService('first', 80);
    await serveService('second', 81, { [LOAD_BALANCER_ID_ANNOTATION]: await idOf('first') });
    const before = await served();
    await fairway.patch('first', { metadata: { annotations: { 'loadbalancer.fairway.dev/provider': 'ovn' } } });
    await fairway.clock.pass(SETTLE_MS);

    expect((await readyOf('first'))?.message).toMatch(/provider .* cannot be changed while Service default\/second/);
    expect(await served()).toEqual(before);
  });
});

describe('a load balancer of the project outside all clusters', () => {
  async function withForeignLoadBalancer(loadBalancers: object): Promise<string> {
    await start(loadBalancers);
    const [subnet] = await Array.fromAsync(fairway.network.subnets.list({ ip_version: 4 }));
    const { id } = await fairway.octavia.loadBalancers.create({
      name: 'theirs',
      vip_subnet_id: subnet?.id ?? '',
      tags: ['keep'],
    });
    await fairway.clock.pass(SETTLE_MS);
    await fairway.octavia.listeners.create({ loadbalancer_id: id, protocol: 'TCP', protocol_port: 22 });
    await fairway.clock.pass(SETTLE_MS);
    return id;
  }
  const foreignState = async (id: string) => {
    const [tree] = (await fairway.trees()).filter(({ loadBalancer }) => loadBalancer.id === id);
    const { name, tags } = tree?.loadBalancer ?? {};
    return { name, tags, ports: tree?.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b) };
  };
  const UNTOUCHED = { name: 'theirs', tags: ['keep'], ports: [22] };

  test('is not used unless the operator allows it, whether it exists or not', async () => {
    const id = await withForeignLoadBalancer({});
    await serveService('web', 80, { [LOAD_BALANCER_ID_ANNOTATION]: id, [INTERNAL_ANNOTATION]: 'true' });
    await serveService('other', 80, {
      [LOAD_BALANCER_ID_ANNOTATION]: '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e',
      [INTERNAL_ANNOTATION]: 'true',
    });
    const [first, second] = [await readyOf('web'), await readyOf('other')];

    expect(first?.message).toContain(`${id} does not belong to a Service of this cluster`);
    expect(second?.message).toBe(first?.message?.replace(id, '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e'));
    expect(await foreignState(id)).toEqual(UNTOUCHED);
  });

  test('is used if the operator allows it, and left unchanged afterwards', async () => {
    const id = await withForeignLoadBalancer({ share_others: true });
    await serveService('web', 80, { [LOAD_BALANCER_ID_ANNOTATION]: id, [INTERNAL_ANNOTATION]: 'true' });
    await fairway.clock.pass(SETTLE_MS);
    const used = await foreignState(id);
    const address = await addressOf('web');
    await remove('web');
    await fairway.clock.pass(SETTLE_MS);

    expect(used).toMatchObject({ name: 'theirs', ports: [22, 80] });
    expect(address).toBe((await fairway.octavia.loadBalancers.get(id)).vip_address);
    expect(await foreignState(id)).toEqual(UNTOUCHED);
    expect(await fairway.exists('web')).toBe(false);
  });

  test('is refused with a short message if its id is invalid, regardless of the operator’s settings', async () => {
    await start({ share_others: true });
    await serveService('web', 80, { [LOAD_BALANCER_ID_ANNOTATION]: `../../${'x'.repeat(100_000)}` });
    const { message = '' } = (await readyOf('web')) ?? {};

    expect(message).toMatch(/"\.\.\/\.\.\/x+…" is not an ID: it must be a UUID$/);
    expect(message.length).toBeLessThan(300);
  });

  test('reports the owner of a port, even if Fairway’s lists do not show that listener', async () => {
    const id = await withForeignLoadBalancer({ share_others: true });
    await serveService('web', 22, { [LOAD_BALANCER_ID_ANNOTATION]: id, [INTERNAL_ANNOTATION]: 'true' });

    expect((await readyOf('web'))?.message).toMatch(/TCP\/22 of the load balancer is already used by listener/);
    expect((await foreignState(id)).ports).toEqual([22]);
  });

  test('is left unchanged when the cluster is deleted', async () => {
    const id = await withForeignLoadBalancer({ share_others: true });
    await serveService('web', 80, { [LOAD_BALANCER_ID_ANNOTATION]: id, [INTERNAL_ANNOTATION]: 'true' });
    await fairway.clock.pass(SETTLE_MS);
    await fairway.fairway.delete(clusters, 'demo');
    await fairway.clock.pass(240_000);

    expect(await foreignState(id)).toEqual(UNTOUCHED);
  });
});
